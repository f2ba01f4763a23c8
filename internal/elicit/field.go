package elicit

import (
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

// Kind is the kind of the values of a field.
type Kind string

// The kinds, each with the type of its values.
const (
	Text    Kind = "text"    // a string
	Number  Kind = "number"  // a float64
	Integer Kind = "integer" // a float64 without a fraction
	YesNo   Kind = "yes_no"  // a bool
	One     Kind = "choice"  // a string, the value of a choice
	Some    Kind = "choices" // []any of strings, the values of choices
)

// Field is a field of a form.
type Field struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Kind        Kind     `json:"kind"`
	Required    bool     `json:"required,omitempty"`
	Default     any      `json:"default,omitempty"`
	Choices     []Choice `json:"choices,omitempty"` // of the kinds One and Some
	Format      string   `json:"format,omitempty"`  // of a Text: email, uri, date, date-time or empty
	Pattern     string   `json:"pattern,omitempty"` // a regular expression that a Text contains
	// Min and Max limit a Number or Integer, the characters of a Text, and how many
	// choices of a Some are selected.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// Choice is one of the values that a field can have.
type Choice struct {
	Value string `json:"value"`
	Title string `json:"title,omitempty"`
}

// Label returns the title of the choice, or else its value.
func (c Choice) Label() string {
	if c.Title != "" {
		return c.Title
	}
	return c.Value
}

// Label returns the title of the field, or else its name.
func (f Field) Label() string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

// Parse returns the value that a user typed into a field of the kinds Text, Number and
// Integer; nil for empty text. The error says what to type.
func (f Field) Parse(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return nil, f.missing()
	}
	if f.Kind == Text {
		if f.Format != "" { // a pasted value often ends with a line break
			text = strings.TrimSpace(text)
		}
		return text, f.Check(text)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return nil, errors.New("enter a " + f.noun())
	}
	return n, f.Check(n)
}

func (f Field) missing() error {
	if f.Required {
		return errors.New("a value is required")
	}
	return nil
}

// Check returns an error if the field cannot have that value; nil means none.
func (f Field) Check(value any) error {
	ok := false
	switch v := value.(type) {
	case nil:
		return f.missing()
	case string:
		switch f.Kind {
		case Text:
			return f.checkText(v)
		case One:
			ok = f.offers(v)
		}
	case float64:
		if f.Kind == Number || f.Kind == Integer {
			return f.checkNumber(v)
		}
	case bool:
		ok = f.Kind == YesNo
	case []any:
		if f.Kind == Some {
			return f.checkSome(v)
		}
	}
	if !ok {
		return errors.New("the value must be " + f.Wanted())
	}
	return nil
}

func (f Field) checkText(text string) error {
	n := float64(utf8.RuneCountInString(text))
	switch {
	case !utf8.ValidString(text):
		return errors.New("the text is not valid UTF-8")
	case f.Min != nil && n < *f.Min:
		return fmt.Errorf("enter at least %s", phrase.Count(int(*f.Min), "character"))
	case f.Max != nil && n > *f.Max:
		return fmt.Errorf("enter at most %s", phrase.Count(int(*f.Max), "character"))
	case f.Format != "" && !formats[f.Format].match(text):
		return errors.New("enter " + formats[f.Format].name)
	}
	if f.Pattern != "" {
		if found, err := regexp.MatchString(f.Pattern, text); err != nil || !found {
			return errors.New("the text must match " + f.Pattern)
		}
	}
	return nil
}

// maxInteger is the largest integer up to which a float64 is exact.
const maxInteger = 1 << 53

func (f Field) checkNumber(n float64) error {
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0), f.Kind == Integer && (n != math.Trunc(n) || math.Abs(n) > maxInteger):
		return errors.New("enter a " + f.noun())
	case f.Min != nil && n < *f.Min, f.Max != nil && n > *f.Max:
		return errors.New("enter " + f.Wanted())
	}
	return nil
}

func (f Field) checkSome(values []any) error {
	for i, v := range values {
		text, ok := v.(string)
		if !ok || !f.offers(text) || slices.Contains(values[:i], v) {
			return errors.New("the value must be " + f.Wanted())
		}
	}
	n := float64(len(values))
	switch {
	case f.Required && n == 0 && f.Min == nil:
		return nil // an empty list is a value
	case f.Min != nil && n < *f.Min:
		return fmt.Errorf("select at least %s", phrase.Count(int(*f.Min), "choice"))
	case f.Max != nil && n > *f.Max:
		return fmt.Errorf("select at most %s", phrase.Count(int(*f.Max), "choice"))
	}
	return nil
}

func (f Field) offers(value string) bool {
	return slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == value })
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

func (f Field) noun() string {
	if f.Kind == Integer {
		return "whole number"
	}
	return "number"
}

// Wanted describes the values of the field: "a whole number from 1 to 10".
func (f Field) Wanted() string {
	switch f.Kind {
	case Number, Integer:
		return "a " + f.noun() + f.limits()
	case YesNo:
		return "yes or no"
	case One:
		return "one of the choices"
	case Some:
		return f.selection()
	}
	return f.wantedText()
}

// wantedText describes a Text: its format, its length and its pattern.
func (f Field) wantedText() string {
	text, length := "text", f.length()
	switch {
	case f.Format != "" && length != "":
		text = formats[f.Format].name + ", of " + length
	case f.Format != "":
		text = formats[f.Format].name
	case length != "":
		text += " of " + length
	}
	if f.Pattern != "" {
		text += ", matching " + f.Pattern
	}
	return text
}

// length describes how long a Text can be; empty if any length is allowed.
func (f Field) length() string {
	switch {
	case f.Min != nil && f.Max != nil && *f.Min != *f.Max:
		return number(*f.Min) + " to " + phrase.Count(int(*f.Max), "character")
	case f.Min != nil && f.Max != nil:
		return phrase.Count(int(*f.Max), "character")
	case f.Min != nil:
		return "at least " + phrase.Count(int(*f.Min), "character")
	case f.Max != nil:
		return "at most " + phrase.Count(int(*f.Max), "character")
	}
	return ""
}

// Need returns "required" or "optional".
func (f Field) Need() string {
	if f.Required {
		return "required"
	}
	return "optional"
}

// selection describes how many choices can be selected.
func (f Field) selection() string {
	switch {
	case f.Min != nil && f.Max != nil && *f.Min == *f.Max:
		return number(*f.Min) + " of the choices"
	case f.Min != nil && f.Max != nil:
		return number(*f.Min) + " to " + number(*f.Max) + " of the choices"
	case f.Min != nil:
		return "at least " + number(*f.Min) + " of the choices"
	case f.Max != nil:
		return "at most " + number(*f.Max) + " of the choices"
	}
	return "some of the choices"
}

// limits returns the limits of the field as words that begin with a space; empty if there
// are none.
func (f Field) limits() string {
	switch {
	case f.Min != nil && f.Max != nil:
		return " from " + number(*f.Min) + " to " + number(*f.Max)
	case f.Min != nil:
		return " of at least " + number(*f.Min)
	case f.Max != nil:
		return " of at most " + number(*f.Max)
	}
	return ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Show returns a value of the field as the user reads it; empty for nil.
func (f Field) Show(value any) string {
	switch v := value.(type) {
	case string:
		for _, c := range f.Choices {
			if c.Value == v {
				return c.Label()
			}
		}
		return v
	case float64:
		return number(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		var all []string
		for _, e := range v {
			if text, ok := e.(string); ok {
				all = append(all, Field{Kind: One, Choices: f.Choices}.Show(text))
			}
		}
		return strings.Join(all, ", ")
	}
	return ""
}
