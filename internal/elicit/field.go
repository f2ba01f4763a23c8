package elicit

import (
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

// kind is the kind of the values of a field.
type kind int

const (
	text    kind = iota // a string
	number              // a float64
	integer             // a float64 without a fraction
	yesNo               // a bool
	one                 // a string, the value of a choice
	some                // []any of strings, the values of choices
)

// field is a field of a form.
type field struct {
	name, title, description string
	kind                     kind
	required                 bool
	choices                  []titled // the labels of a yesNo have no value
	start                    Answer   // the default
	format                   string   // of a text: email, uri, date, date-time or empty
	pattern                  string   // a regular expression that a text contains
	// min and max limit a number or integer, the characters of a text, and how many choices
	// are selected.
	min, max *float64
}

var errOne = errors.New("select one of the choices")

// typed reports whether the value of the field is typed and not selected.
func (f field) typed() bool { return f.kind <= integer }

// parse returns the value that a user typed; nil for empty text.
func (f field) parse(typed string) (any, error) {
	short := strings.TrimSpace(typed)
	switch {
	case short == "" && f.required:
		return nil, errors.New("a value is required")
	case short == "":
		return nil, nil
	case f.kind == text && f.format == "":
		return typed, f.checkText(typed)
	case f.kind == text:
		return short, f.checkText(short)
	}
	n, err := strconv.ParseFloat(short, 64)
	if err != nil {
		return nil, errors.New("enter a " + f.noun())
	}
	return n, f.checkNumber(n)
}

func (f field) checkText(text string) error {
	n := float64(utf8.RuneCountInString(text))
	switch {
	case !utf8.ValidString(text):
		return errors.New("the text is not valid UTF-8")
	case f.min != nil && n < *f.min:
		return fmt.Errorf("enter at least %s", phrase.Count(int(*f.min), "character"))
	case f.max != nil && n > *f.max:
		return fmt.Errorf("enter at most %s", phrase.Count(int(*f.max), "character"))
	case f.format != "" && !formats[f.format].match(text):
		return errors.New("enter " + formats[f.format].name)
	}
	if f.pattern != "" {
		if found, err := regexp.MatchString(f.pattern, text); err != nil || !found {
			return errors.New("the text must match " + f.pattern)
		}
	}
	return nil
}

// maxInteger is the largest integer up to which a float64 is exact.
const maxInteger = 1 << 53

func (f field) checkNumber(n float64) error {
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0), f.kind == integer && (n != math.Trunc(n) || math.Abs(n) > maxInteger):
		return errors.New("enter a " + f.noun())
	case f.min != nil && n < *f.min, f.max != nil && n > *f.max:
		return errors.New("enter " + f.wanted())
	}
	return nil
}

// checkCount returns an error if the user cannot select that many choices.
func (f field) checkCount(n int) error {
	if f.min != nil && float64(n) < *f.min || f.max != nil && float64(n) > *f.max {
		return errors.New("the answer must be " + f.wanted())
	}
	return nil
}

// format is a format of texts.
type format struct {
	name  string
	match func(string) bool
}

// formats are the formats that the protocol allows.
var formats = map[string]format{
	"email": {"an email address", func(s string) bool {
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	}},
	"uri": {"a URL, such as https://example.com", func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && u.Scheme != ""
	}},
	"date": {"a date, such as 2026-01-31", func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	}},
	"date-time": {"a date and time, such as 2026-01-31T10:00:00Z", func(s string) bool {
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	}},
}

func (f field) noun() string {
	if f.kind == integer {
		return "whole number"
	}
	return "number"
}

// wanted describes the values of the field: "a whole number from 1 to 10".
func (f field) wanted() string {
	switch f.kind {
	case number, integer:
		return f.limited("a "+f.noun(), "")
	case some:
		return f.limited("a selection", "choice")
	case yesNo, one:
		return "one of the choices"
	}
	out := "text"
	if f.format != "" {
		out = formats[f.format].name
	}
	out = f.limited(out, "character")
	if f.pattern != "" {
		out += ", matching " + f.pattern
	}
	return out
}

// limited returns a noun with the limits of the field, counted in units if unit is not empty.
func (f field) limited(noun, unit string) string {
	count := func(n float64) string {
		if unit == "" {
			return show(n)
		}
		return phrase.Count(int(n), unit)
	}
	switch {
	case f.min != nil && f.max != nil && *f.min == *f.max:
		return noun + " of exactly " + count(*f.max)
	case f.min != nil && f.max != nil:
		return noun + " from " + show(*f.min) + " to " + count(*f.max)
	case f.min != nil:
		return noun + " of at least " + count(*f.min)
	case f.max != nil:
		return noun + " of at most " + count(*f.max)
	}
	return noun
}

func show(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
