package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm"
)

// Info is what is known of a model. Zero and nil mean that it is not known.
type Info struct {
	Exact   bool    `json:"-"` // the table means this very model, not just its family
	Maker   string  `json:"by"`
	Listed  string  `json:"listed"`  // what one calls it, if not as the table does; "-" where the table means several, or one that is gone
	Context int     `json:"context"` // tokens of its window
	Output  int     `json:"output"`  // tokens that a reply may have
	Price   *Price  `json:"price"`
	Tools   *bool   `json:"tools"`  // whether it calls tools by itself
	Vision  *bool   `json:"vision"` // whether it sees images
	Effort  Levels  `json:"effort"` // the levels of reasoning effort it takes
	Dialect Dialect `json:"dialect"`
	Form    string  `json:"form"` // how it writes calls as text, where it has no tools
}

// Levels are the words that say how hard a model shall think. An empty list
// that is not nil says that the model takes none.
type Levels []string

// Price is what a million tokens cost in US dollars. A zero beside an Input
// that is none is not known; where all are zero, the model is free.
type Price struct {
	Input      float64 `json:"input"`
	Cached     float64 `json:"cached"`      // input read from a cache
	CacheWrite float64 `json:"cache_write"` // input written to a cache
	Output     float64 `json:"output"`
	// Over holds the prices of a request whose input is longer than its
	// Tokens; without prices of its own they are not known.
	Over *Over `json:"over"`
}

// Over is the price of long requests.
type Over struct {
	Tokens int `json:"tokens"`
	Price
}

// Cost returns what a request that used u costs in US dollars, if that is
// known.
func (i Info) Cost(u llm.Usage) (usd float64, known bool) {
	if i.Price == nil {
		return 0, false
	}
	return i.Price.cost(u)
}

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

// TakesEffort says whether the model may be told to think with this effort;
// its error names the levels that it has. What is not known is let through.
func (i Info) TakesEffort(level string) error {
	if level == "" || !i.Exact || i.Effort == nil || slices.Contains(i.Effort, level) {
		return nil
	}
	if len(i.Effort) == 0 {
		return fmt.Errorf("this model has no levels of effort")
	}
	return fmt.Errorf("this model has no effort %q: it takes %s", level, strings.Join(i.Effort, ", "))
}

// WritesCalls reports whether the model is known to have no tools, so that its
// calls are to be read from what it writes.
func (i Info) WritesCalls() bool { return i.Form != "" || i.Tools != nil && !*i.Tools }

// with returns i with what is known in o put over it.
func (i Info) with(o Info) Info {
	i.Maker = cmp.Or(o.Maker, i.Maker)
	i.Context = cmp.Or(o.Context, i.Context)
	i.Output = cmp.Or(o.Output, i.Output)
	i.Price = cmp.Or(o.Price, i.Price)
	i.Tools = cmp.Or(o.Tools, i.Tools)
	i.Vision = cmp.Or(o.Vision, i.Vision)
	i.Dialect = cmp.Or(o.Dialect, i.Dialect)
	i.Form = cmp.Or(o.Form, i.Form)
	if o.Effort != nil {
		i.Effort = o.Effort
	}
	return i
}
