package script

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
)

// signArg asks for a signature, or whether one is good.
type signArg struct {
	Algorithm string `json:"algorithm"` // of the hash; empty for Ed25519
	Key       string `json:"key"`       // PEM
	Data      []byte `json:"data"`
	Signature []byte `json:"signature"`
	PSS       bool   `json:"pss"`
}

func signOps() Table {
	return Table{"crypto.sign": Typed(sign), "crypto.verify": Typed(verify)}
}

var cryptoHashes = map[string]crypto.Hash{
	"md5": crypto.MD5, "sha1": crypto.SHA1, "sha224": crypto.SHA224, "sha256": crypto.SHA256, "sha384": crypto.SHA384, "sha512": crypto.SHA512,
}

// hashed is what is signed, and how it was made.
func (a *signArg) hashed() ([]byte, crypto.Hash, error) {
	if a.Algorithm == "" {
		return a.Data, 0, nil
	}
	h, err := hasher(a.Algorithm)
	if err != nil {
		return nil, 0, err
	}
	sum := h()
	sum.Write(a.Data)
	return sum.Sum(nil), cryptoHashes[a.Algorithm], nil
}

var errKey = &Error{Code: "ERR_OSSL_UNSUPPORTED", Message: "the key cannot be read: it must be the PEM of an RSA, EC or Ed25519 key without a password"}

// parsed reads a PEM of any kind: PKCS#8, PKCS#1, SEC 1, SPKI, or a certificate.
func parsed(text string) (any, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errKey
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PublicKey(block.Bytes); err == nil {
		return key, nil
	}
	if c, err := x509.ParseCertificate(block.Bytes); err == nil {
		return c.PublicKey, nil
	}
	return nil, errKey
}

func sign(_ context.Context, a signArg) ([]byte, error) {
	key, err := parsed(a.Key)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errKey
	}
	sum, hash, err := a.hashed()
	if err != nil {
		return nil, err
	}
	var opts crypto.SignerOpts = hash
	if a.PSS {
		opts = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: hash}
	}
	return signer.Sign(rand.Reader, sum, opts)
}

func verify(_ context.Context, a signArg) (bool, error) {
	key, err := parsed(a.Key)
	if err != nil {
		return false, err
	}
	if private, ok := key.(crypto.Signer); ok {
		key = private.Public()
	}
	sum, hash, err := a.hashed()
	if err != nil {
		return false, err
	}
	switch key := key.(type) {
	case *rsa.PublicKey:
		if a.PSS {
			return rsa.VerifyPSS(key, hash, sum, a.Signature, nil) == nil, nil
		}
		return rsa.VerifyPKCS1v15(key, hash, sum, a.Signature) == nil, nil
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, sum, a.Signature), nil
	case ed25519.PublicKey:
		return ed25519.Verify(key, sum, a.Signature), nil
	}
	return false, errKey
}
