//go:build !unix

package read

const nonBlocking = 0
