package wire

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Number is a number of a server. What is none is 0.
type Number float64

// UnmarshalJSONFrom reads any value.
func (n *Number) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*n = 0
	if raw.Kind() == '0' {
		f, _ := strconv.ParseFloat(string(raw), 64) // its only error is about numbers too large
		*n = Number(f)
	}
	return nil
}

// within returns the whole part, cut to this range: converting a float that an int cannot
// hold gives another number on each processor.
func (n Number) within(least, most float64) int { return int(min(max(float64(n), least), most)) }

// Count is a number of tokens, which some servers write with a decimal point. What is none is
// 0, and so is what lies below.
type Count int

// UnmarshalJSONFrom reads any value.
func (c *Count) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var n Number
	err := n.UnmarshalJSONFrom(d)
	*c = Count(n.within(0, math.MaxInt32))
	return err
}

// Index is the place of a piece in the answer, where the server gives one.
type Index struct {
	N     int
	Given bool
}

// UnmarshalJSONFrom reads any value; what is no number is not given.
func (i *Index) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	given := d.PeekKind() == '0'
	var n Number
	err := n.UnmarshalJSONFrom(d)
	*i = Index{n.within(math.MinInt32, math.MaxInt32), given}
	return err
}
