package script

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // for scripts that ask for it
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // for scripts that ask for it
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"io"
)

var hashes = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

func hasher(name string) (func() hash.Hash, error) {
	h, ok := hashes[name]
	if !ok {
		return nil, &Error{Message: "Digest method " + name + " is not supported by this host", Code: "ERR_CRYPTO_INVALID_DIGEST"}
	}
	return h, nil
}

type hashArg struct {
	Algorithm string `json:"algorithm"`
	Key       []byte `json:"key"`
	Data      []byte `json:"data"`
}

func cryptoOps() Table {
	return Table{
		"crypto.random": Typed(func(_ context.Context, a struct {
			Size int `json:"size"`
		},
		) ([]byte, error) {
			if a.Size < 0 || a.Size > maxFile {
				return nil, &Error{Name: "RangeError", Message: "the number of random bytes is out of range"}
			}
			out := make([]byte, a.Size)
			_, err := rand.Read(out)
			return out, err
		}),
		"crypto.uuid": Typed(func(context.Context, any) (string, error) {
			var b [16]byte
			if _, err := rand.Read(b[:]); err != nil {
				return "", err
			}
			b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
			return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
		}),
		"crypto.hash": Typed(func(_ context.Context, a hashArg) ([]byte, error) {
			newHash, err := hasher(a.Algorithm)
			if err != nil {
				return nil, err
			}
			h := newHash()
			h.Write(a.Data)
			return h.Sum(nil), nil
		}),
		"crypto.hmac": Typed(func(_ context.Context, a hashArg) ([]byte, error) {
			newHash, err := hasher(a.Algorithm)
			if err != nil {
				return nil, err
			}
			h := hmac.New(newHash, a.Key)
			h.Write(a.Data)
			return h.Sum(nil), nil
		}),
		"zlib.pack":   Typed(pack),
		"zlib.unpack": Typed(unpack),
	}.Add(keyOpsOfCrypto(), signOps())
}

type packArg struct {
	Format string `json:"format"` // gzip, deflate or raw
	Data   []byte `json:"data"`
}

func pack(_ context.Context, a packArg) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	switch a.Format {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	default:
		w, _ = flate.NewWriter(&out, flate.DefaultCompression)
	}
	if _, err := w.Write(a.Data); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

func unpack(_ context.Context, a packArg) ([]byte, error) {
	var r io.Reader
	var err error
	switch a.Format {
	case "gzip":
		r, err = gzip.NewReader(bytes.NewReader(a.Data))
	case "deflate":
		r, err = zlib.NewReader(bytes.NewReader(a.Data))
	default:
		r = flate.NewReader(bytes.NewReader(a.Data))
	}
	if err != nil {
		return nil, &Error{Code: "Z_DATA_ERROR", Message: err.Error()}
	}
	out, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, &Error{Code: "Z_DATA_ERROR", Message: err.Error()}
	}
	if len(out) > maxFile {
		return nil, &Error{Code: "ERR_BUFFER_TOO_LARGE", Message: "what was unpacked is larger than 256 MiB"}
	}
	return out, nil
}
