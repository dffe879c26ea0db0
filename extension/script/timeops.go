package script

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// dateOptions are those of Intl.DateTimeFormat.
type dateOptions struct {
	DateStyle    string `json:"dateStyle"`
	TimeStyle    string `json:"timeStyle"`
	Weekday      string `json:"weekday"`
	Year         string `json:"year"`
	Month        string `json:"month"`
	Day          string `json:"day"`
	Hour         string `json:"hour"`
	Minute       string `json:"minute"`
	Second       string `json:"second"`
	Fraction     int    `json:"fractionalSecondDigits"`
	Hour12       *bool  `json:"hour12"`
	HourCycle    string `json:"hourCycle"`
	TimeZone     string `json:"timeZone"`
	TimeZoneName string `json:"timeZoneName"`
}

// part is a piece of a formatted date: its type and its text.
type part = [2]string

func timeOps() Table {
	return Table{
		"time.zone": Typed(func(context.Context, any) (string, error) {
			if name := time.Local.String(); name != "Local" {
				return name, nil
			}
			return "UTC", nil
		}),
		"time.format": Typed(func(_ context.Context, a struct {
			Time     float64     `json:"time"`
			Options  dateOptions `json:"options"`
			Defaults string      `json:"defaults"` // date, time or all
		},
		) ([]part, error) {
			t := time.UnixMilli(int64(a.Time))
			if a.Options.TimeZone != "" {
				zone, err := time.LoadLocation(a.Options.TimeZone)
				if err != nil {
					return nil, &Error{Name: "RangeError", Message: "Invalid time zone specified: " + a.Options.TimeZone}
				}
				t = t.In(zone)
			}
			return formatDate(t, a.Options, a.Defaults), nil
		}),
		"text.compare": Typed(compareText),
	}
}

// formatDate writes a date in American English, as browsers and Node do.
func formatDate(t time.Time, o dateOptions, defaults string) []part {
	styled(&o)
	if o.Weekday+o.Year+o.Month+o.Day+o.Hour+o.Minute+o.Second == "" && o.Fraction == 0 {
		if defaults != "time" {
			o.Year, o.Month, o.Day = "numeric", "numeric", "numeric"
		}
		if defaults != "date" {
			o.Hour, o.Minute, o.Second = "numeric", "2-digit", "2-digit"
		}
	}
	date, clock := dateParts(t, &o), clockParts(t, &o)
	if len(date) > 0 && len(clock) > 0 {
		between := ", "
		if o.DateStyle == "full" || o.DateStyle == "long" {
			between = " at "
		}
		date = append(date, part{"literal", between})
	}
	return append(date, clock...)
}

// styled spells the two styles out.
func styled(o *dateOptions) {
	switch o.DateStyle {
	case "full":
		o.Weekday, o.Year, o.Month, o.Day = "long", "numeric", "long", "numeric"
	case "long":
		o.Year, o.Month, o.Day = "numeric", "long", "numeric"
	case "medium":
		o.Year, o.Month, o.Day = "numeric", "short", "numeric"
	case "short":
		o.Year, o.Month, o.Day = "2-digit", "numeric", "numeric"
	}
	if o.TimeStyle != "" {
		o.Hour, o.Minute = "numeric", "2-digit"
		if o.TimeStyle != "short" {
			o.Second = "2-digit"
		}
		if o.TimeStyle == "full" || o.TimeStyle == "long" {
			o.TimeZoneName = "short"
		}
	}
}

func digits(n int, how string) string {
	if how == "2-digit" {
		return fmt.Sprintf("%02d", n%100)
	}
	return strconv.Itoa(n)
}

func dateParts(t time.Time, o *dateOptions) (list []part) {
	add := func(separator, kind, text string) {
		if len(list) > 0 {
			list = append(list, part{"literal", separator})
		}
		list = append(list, part{kind, text})
	}
	if o.Weekday != "" {
		name := t.Weekday().String()
		if o.Weekday != "long" {
			name = name[:3]
		}
		add("", "weekday", name)
	}
	named := o.Month == "long" || o.Month == "short" || o.Month == "narrow"
	if o.Month != "" {
		text := digits(int(t.Month()), o.Month)
		switch o.Month {
		case "long":
			text = t.Month().String()
		case "short":
			text = t.Month().String()[:3]
		case "narrow":
			text = t.Month().String()[:1]
		}
		add(", ", "month", text)
	}
	if o.Day != "" {
		separator := "/"
		if named || o.Month == "" {
			separator = " "
		}
		add(separator, "day", digits(t.Day(), o.Day))
	}
	if o.Year != "" {
		separator := "/"
		switch {
		case named && o.Day != "":
			separator = ", "
		case named || o.Month == "":
			separator = " "
		}
		add(separator, "year", digits(t.Year(), o.Year))
	}
	return list
}

func clockParts(t time.Time, o *dateOptions) (list []part) {
	add := func(separator, kind, text string) {
		if len(list) > 0 {
			list = append(list, part{"literal", separator})
		}
		list = append(list, part{kind, text})
	}
	twelve := o.HourCycle == "" || o.HourCycle == "h12" || o.HourCycle == "h11"
	if o.Hour12 != nil {
		twelve = *o.Hour12
	}
	if o.Hour != "" {
		hour, how := t.Hour(), o.Hour
		if twelve {
			hour = (hour+11)%12 + 1
		} else {
			how = "2-digit"
		}
		add("", "hour", digits(hour, how))
	}
	if o.Minute != "" {
		how := o.Minute
		if o.Hour != "" || o.Second != "" {
			how = "2-digit"
		}
		add(":", "minute", digits(t.Minute(), how))
	}
	if o.Second != "" {
		how := o.Second
		if o.Minute != "" {
			how = "2-digit"
		}
		add(":", "second", digits(t.Second(), how))
	}
	if o.Fraction > 0 {
		add(".", "fractionalSecond", fmt.Sprintf("%03d", t.Nanosecond()/1e6)[:min(o.Fraction, 3)])
	}
	if o.Hour != "" && twelve {
		half := "AM"
		if t.Hour() >= 12 {
			half = "PM"
		}
		add(" ", "dayPeriod", half)
	}
	if o.TimeZoneName != "" {
		name, _ := t.Zone()
		add(" ", "timeZoneName", name)
	}
	return list
}

// compareText orders texts as people do: -1, 0 or 1. It knows what Latin letters need:
// signs come before digits and those before letters; accents count after letters, and small
// letters come before capitals.
func compareText(_ context.Context, a struct {
	A           string `json:"a"`
	B           string `json:"b"`
	Numeric     bool   `json:"numeric"`
	Sensitivity string `json:"sensitivity"`
},
) (int, error) {
	x, y := collationOf(a.A, a.Numeric), collationOf(a.B, a.Numeric)
	order := slices.Compare(x.letters, y.letters)
	if order == 0 && a.Sensitivity != "base" && a.Sensitivity != "case" {
		order = slices.Compare(x.accents, y.accents)
	}
	if order == 0 && a.Sensitivity != "base" && a.Sensitivity != "accent" {
		order = slices.Compare(x.cases, y.cases)
	}
	return order, nil
}

// collation is what texts are compared by: first the letters, then their accents, then case.
type collation struct{ letters, accents, cases []int64 }

func collationOf(text string, numeric bool) (c collation) {
	runes := []rune(norm.NFD.String(text))
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if unicode.Is(unicode.Mn, r) {
			c.accents = append(c.accents, int64(len(c.letters))<<32|int64(r))
			continue
		}
		if numeric && r >= '0' && r <= '9' {
			n := int64(0)
			for ; i < len(runes) && runes[i] >= '0' && runes[i] <= '9'; i++ {
				n = min(n*10+int64(runes[i]-'0'), 1<<40)
			}
			i--
			c.letters, c.cases = append(c.letters, digitsFrom+n), append(c.cases, 0)
			continue
		}
		upper := int64(0)
		if unicode.IsUpper(r) {
			upper = 1
		}
		c.letters, c.cases = append(c.letters, primary(unicode.ToLower(r))), append(c.cases, upper)
	}
	return c
}

// Where digits and letters begin in the order.
const (
	digitsFrom  = 1 << 44
	lettersFrom = 1 << 45
)

func primary(r rune) int64 {
	switch {
	case unicode.IsLetter(r):
		return lettersFrom + int64(r)
	case unicode.IsDigit(r):
		return digitsFrom + int64(r-'0')
	case unicode.IsSpace(r):
		return int64(r)
	}
	// The order of signs in the Unicode collation, as far as ASCII goes.
	if at := strings.IndexRune("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$", r); at >= 0 {
		return 1<<20 + int64(at)
	}
	return 1<<21 + int64(r)
}
