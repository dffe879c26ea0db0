package script

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/subtle"
	"strings"
)

// deriveArg asks for a key that is made of a password or of another key.
type deriveArg struct {
	Algorithm  string `json:"algorithm"`
	Secret     []byte `json:"secret"`
	Salt       []byte `json:"salt"`
	Info       []byte `json:"info"`
	Iterations int    `json:"iterations"`
	Length     int    `json:"length"`
}

func keyOpsOfCrypto() Table {
	return Table{
		"crypto.pbkdf2": Typed(func(_ context.Context, a deriveArg) ([]byte, error) {
			h, err := hasher(a.Algorithm)
			if err != nil {
				return nil, err
			}
			return pbkdf2.Key(h, string(a.Secret), a.Salt, a.Iterations, a.Length)
		}),
		"crypto.hkdf": Typed(func(_ context.Context, a deriveArg) ([]byte, error) {
			h, err := hasher(a.Algorithm)
			if err != nil {
				return nil, err
			}
			return hkdf.Key(h, a.Secret, a.Salt, string(a.Info), a.Length)
		}),
		"crypto.cipher": Typed(crypt),
	}
}

// cipherArg is everything that a cipher has been given so far.
type cipherArg struct {
	Algorithm string `json:"algorithm"` // aes-256-gcm
	Key       []byte `json:"key"`
	IV        []byte `json:"iv"`
	Data      []byte `json:"data"`
	Extra     []byte `json:"extra"` // what is authenticated beside the data
	Tag       []byte `json:"tag"`
	Decrypts  bool   `json:"decrypts"`
	Final     bool   `json:"final"`
	Padded    bool   `json:"padded"`
}

type ciphered struct {
	Data []byte `json:"data"`
	Tag  []byte `json:"tag"`
}

var errDecrypt = &Error{Code: "ERR_OSSL_BAD_DECRYPT", Message: "bad decrypt: the key is another, or the data are damaged"}

// crypt returns what comes out of the data so far.
func crypt(_ context.Context, a cipherArg) (*ciphered, error) {
	name, mode, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(a.Algorithm), "aes-"), "-")
	sizes := map[string]int{"128": 16, "192": 24, "256": 32}
	if sizes[name] == 0 {
		return nil, unknownCipher(a.Algorithm)
	}
	if len(a.Key) != sizes[name] {
		return nil, &Error{Name: "RangeError", Code: "ERR_CRYPTO_INVALID_KEYLEN", Message: "Invalid key length"}
	}
	block, err := aes.NewCipher(a.Key)
	if err != nil {
		return nil, err
	}
	if mode != "gcm" && mode != "ecb" && len(a.IV) != aes.BlockSize {
		return nil, &Error{Name: "TypeError", Code: "ERR_CRYPTO_INVALID_IV", Message: "Invalid initialization vector"}
	}
	switch mode {
	case "gcm":
		return a.gcm(block)
	case "ctr":
		out := make([]byte, len(a.Data))
		cipher.NewCTR(block, a.IV).XORKeyStream(out, a.Data)
		return &ciphered{Data: out}, nil
	case "cbc", "ecb":
		out, err := a.blocks(block, mode == "ecb")
		return &ciphered{Data: out}, err
	}
	return nil, unknownCipher(a.Algorithm)
}

func unknownCipher(algorithm string) *Error {
	return &Error{Code: "ERR_CRYPTO_UNKNOWN_CIPHER", Message: "the cipher " + algorithm + " is not supported by this host"}
}

// gcm seals or opens in the end; before that it gives what the same key stream makes of the
// data, which decrypting programs must not trust yet.
func (a *cipherArg) gcm(block cipher.Block) (*ciphered, error) {
	if len(a.IV) == 0 {
		return nil, &Error{Name: "TypeError", Code: "ERR_CRYPTO_INVALID_IV", Message: "Invalid initialization vector"}
	}
	g, err := cipher.NewGCMWithNonceSize(block, len(a.IV))
	if err != nil {
		return nil, err
	}
	// Sealing is its own inverse but for the tag, so that it also tells what data decrypt to.
	sealed := g.Seal(nil, a.IV, a.Data, a.Extra)
	out := sealed[:len(a.Data)]
	if !a.Decrypts {
		return &ciphered{Data: out, Tag: sealed[len(a.Data):]}, nil
	}
	if a.Final {
		tag := g.Seal(nil, a.IV, out, a.Extra)[len(out):]
		if n := len(a.Tag); n < 4 || n > len(tag) || subtle.ConstantTimeCompare(tag[:n], a.Tag) != 1 {
			return nil, &Error{Message: "Unsupported state or unable to authenticate data"}
		}
	}
	return &ciphered{Data: out}, nil
}

// blocks encrypts or decrypts whole blocks; the last one waits for the end, where it has the
// padding.
func (a *cipherArg) blocks(block cipher.Block, ecb bool) ([]byte, error) {
	data := bytes.Clone(a.Data)
	const size = aes.BlockSize
	switch {
	case !a.Final && a.Decrypts && a.Padded:
		data = data[:max(0, (len(data)-1)/size*size)]
	case !a.Final:
		data = data[:len(data)/size*size]
	case !a.Decrypts && a.Padded:
		n := size - len(data)%size
		data = append(data, bytes.Repeat([]byte{byte(n)}, n)...)
	}
	if len(data)%size != 0 {
		return nil, &Error{Code: "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH", Message: "wrong final block length"}
	}
	out := make([]byte, len(data))
	switch {
	case ecb:
		step := block.Encrypt
		if a.Decrypts {
			step = block.Decrypt
		}
		for i := 0; i < len(data); i += size {
			step(out[i:i+size], data[i:i+size])
		}
	case a.Decrypts:
		cipher.NewCBCDecrypter(block, a.IV).CryptBlocks(out, data)
	default:
		cipher.NewCBCEncrypter(block, a.IV).CryptBlocks(out, data)
	}
	if !a.Final || !a.Decrypts || !a.Padded {
		return out, nil
	}
	n := 0
	if len(out) > 0 {
		n = int(out[len(out)-1])
	}
	if n == 0 || n > size || !bytes.HasSuffix(out, bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, errDecrypt
	}
	return out[:len(out)-n], nil
}
