package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
)

// Info is the data of a model. Zero and nil mean unknown.
type Info struct {
	Exact   bool    `json:"-"` // the table has this model and not only its family
	Maker   string  `json:"by"`
	Listed  string  `json:"listed"`  // name in lists, if it differs from the table's; "-" for rows that are families or retired models
	Context int     `json:"context"` // context window in tokens
	Output  int     `json:"output"`  // maximum output in tokens
	Price   *Price  `json:"price"`
	Tools   *bool   `json:"tools"`  // supports native tool calls
	Vision  *bool   `json:"vision"` // accepts images
	Effort  Levels  `json:"effort"` // levels of reasoning effort
	Dialect Dialect `json:"dialect"`
	Form    string  `json:"form"` // text format of tool calls for models without native ones
	// KeepThinking is whether thinking is sent back; nil leaves it to the family of
	// the model.
	KeepThinking *bool `json:"-"`
	// Assumed is set if Context is a guess, because the server has not loaded the
	// model yet.
	Assumed bool `json:"-"`
}

// Levels are the levels of reasoning effort. An empty, non-nil list means that
// the model has none.
type Levels []string

// Price is in US dollars per million tokens. A zero is unknown, unless Input
// and Output are both zero: then the model is free.
type Price struct {
	Input      float64 `json:"input"`
	Cached     float64 `json:"cached"`      // cached input
	CacheWrite float64 `json:"cache_write"` // cache writes
	Output     float64 `json:"output"`
	// Over holds the prices of requests with more input than its Tokens. If it
	// has no prices, they are unknown.
	Over *Over `json:"over"`
}

// Over is the price of long requests.
type Over struct {
	Tokens int `json:"tokens"`
	Price
}

// Cost returns the cost of u in US dollars, if the prices are known.
func (i Info) Cost(u llm.Usage) (usd float64, known bool) {
	if i.Price == nil {
		return 0, false
	}
	usd, known = i.Price.cost(u)
	if u.Searches > 0 {
		each := searchPrices[i.Maker]
		if each == 0 {
			return 0, false
		}
		usd += float64(u.Searches) * each
	}
	return usd, known
}

// SearchesWeb reports whether the provider of c can search the web itself while it
// answers. Other servers that speak the same dialect may reject that.
func (c Choice) SearchesWeb() bool {
	switch c.Dialect() {
	case Anthropic, Responses:
		return true
	}
	return false
}

// searchPrices are the prices of one web search that a provider runs itself, in US
// dollars, by maker of the model.
var searchPrices = map[string]float64{"anthropic": 0.01, "openai": 0.01}

func (p Price) cost(u llm.Usage) (usd float64, known bool) {
	if p.Over != nil && u.Input > p.Over.Tokens {
		if p.Over.Input == 0 {
			return 0, false
		}
		return Price{Input: p.Over.Input, Cached: p.Over.Cached, CacheWrite: p.Over.CacheWrite, Output: p.Over.Output}.cost(u)
	}
	free := p.Input == 0 && p.Output == 0
	for _, part := range []struct {
		tokens int
		price  float64
	}{
		{max(0, u.Input-u.Cached-u.CacheWrite), p.Input}, {u.Cached, p.Cached}, {u.CacheWrite, p.CacheWrite}, {u.Output, p.Output},
	} {
		if part.tokens > 0 && part.price == 0 && !free {
			return 0, false
		}
		usd += float64(part.tokens) * part.price / 1e6
	}
	return usd, true
}

// TakesEffort returns an error with the supported levels if the model does not
// support this reasoning effort. Unknown models support every level.
func (i Info) TakesEffort(level string) error {
	if level == "" || !i.Exact || i.Effort == nil || slices.Contains(i.Effort, level) {
		return nil
	}
	if len(i.Effort) == 0 {
		return fmt.Errorf("this model does not support reasoning effort")
	}
	return fmt.Errorf("this model does not support effort %q: use %s", level, strings.Join(i.Effort, ", "))
}

// TextToolCalls reports whether the model is known to lack native tool calls, so
// that calls are parsed from its text.
func (i Info) TextToolCalls() bool { return i.Form != "" || i.Tools != nil && !*i.Tools }

// overriddenBy returns i overridden by the known values of o.
func (i Info) overriddenBy(o Info) Info {
	i.Maker = cmp.Or(o.Maker, i.Maker)
	i.Context = cmp.Or(o.Context, i.Context)
	i.Output = cmp.Or(o.Output, i.Output)
	i.Price = cmp.Or(o.Price, i.Price)
	i.Tools = cmp.Or(o.Tools, i.Tools)
	i.Vision = cmp.Or(o.Vision, i.Vision)
	i.Dialect = cmp.Or(o.Dialect, i.Dialect)
	i.Form = cmp.Or(o.Form, i.Form)
	i.KeepThinking = cmp.Or(o.KeepThinking, i.KeepThinking)
	if o.Effort != nil {
		i.Effort = o.Effort
	}
	return i
}
