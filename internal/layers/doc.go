// Package layers holds the test that keeps imports pointing downwards, as ARCHITECTURE.md
// draws the layers.
package layers
