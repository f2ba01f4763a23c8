package event

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm/phrase"
)

// Limit is something that a Budget limits.
type Limit string

// The limits.
const (
	LimitSteps  Limit = "steps"
	LimitTokens Limit = "tokens" // input and output
	LimitCost   Limit = "cost"   // US dollars
	LimitTime   Limit = "time"   // seconds of work, without the time spent waiting for the user
)

// Limits returns all limits in their order.
func Limits() []Limit { return []Limit{LimitSteps, LimitTokens, LimitCost, LimitTime} }

// Budget holds an amount for each of its limits.
type Budget map[Limit]float64

// NoLimit removes a limit, as its amount in a SetBudget.
const NoLimit = -1

// Spent is a budget and what was used of it.
type Spent struct {
	Limits Budget `json:"limits,omitempty"`
	Used   Budget `json:"used,omitempty"`
}

// Words describes an amount of l: "3 steps", "18.2k tokens", "$0.07", "2 m 00 s".
func (l Limit) Words(amount float64) string {
	switch l {
	case LimitSteps:
		return phrase.Count(int(amount), "step")
	case LimitTokens:
		return phrase.Thousands(int(amount)) + " tokens"
	case LimitCost:
		return phrase.Dollars(amount)
	}
	return phrase.Seconds(seconds(amount))
}

// seconds returns n seconds.
func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// Parse reads an amount of l: steps "20", tokens "200k" or "1.5M", cost "0.50", time
// "90s" or "1h30m".
func (l Limit) Parse(text string) (float64, error) {
	amount, err := l.amount(strings.TrimSpace(text))
	if err != nil || math.IsNaN(amount) || amount > most || amount < 0 || amount == 0 && l != LimitSteps {
		return 0, fmt.Errorf("%s must be %s, not %q", l, l.form(), text)
	}
	return amount, nil
}

// most is the largest amount of a limit: about 30 years in seconds.
const most = 1e9

// form says what an amount looks like.
func (l Limit) form() string {
	switch l {
	case LimitSteps:
		return "a whole number like 20"
	case LimitTokens:
		return "a number like 50000, 200k or 1.5M"
	case LimitCost:
		return "an amount in US dollars like 0.50"
	}
	return "a duration like 90s, 10m or 1h30m"
}

func (l Limit) amount(text string) (float64, error) {
	switch l {
	case LimitSteps:
		n, err := strconv.Atoi(text)
		return float64(n), err
	case LimitTokens:
		number, times := text, 1.0
		switch {
		case strings.HasSuffix(strings.ToLower(text), "k"):
			number, times = text[:len(text)-1], 1e3
		case strings.HasSuffix(strings.ToLower(text), "m"):
			number, times = text[:len(text)-1], 1e6
		}
		n, err := strconv.ParseFloat(number, 64)
		return math.Round(n * times), err
	case LimitCost:
		return strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	}
	d, err := time.ParseDuration(text)
	return d.Seconds(), err
}

// ParseBudget reads limits like "tokens=200k cost=0.50", separated by spaces or
// commas. The amount off is NoLimit.
func ParseBudget(text string) (Budget, error) {
	b := Budget{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		name, value, _ := strings.Cut(word, "=")
		l := Limit(name)
		if !slices.Contains(Limits(), l) {
			return nil, fmt.Errorf("unknown limit %q: use steps=N, tokens=N, cost=USD or time=DURATION", name)
		}
		if value == "off" {
			b[l] = NoLimit
			continue
		}
		amount, err := l.Parse(value)
		if err != nil {
			return nil, err
		}
		b[l] = amount
	}
	return b, nil
}
