//go:build !unix

package host

const nonBlocking = 0
