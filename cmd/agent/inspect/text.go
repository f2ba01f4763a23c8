package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
)

// Summary describes the request. It contains untrusted text.
func (r Request) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Step %d of %d · %s · dialect %s\n", r.Step, r.Steps, r.Model, r.Dialect)
	if r.Rebuilt {
		b.WriteString("This session did not record its system prompt and tools: the request is rebuilt with the current ones.\n")
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PART\tTOKENS")
	for _, p := range r.Parts {
		fmt.Fprintf(w, "%s\t%d\t%s\n", strings.TrimSpace(p.Kind+" "+ink.SanitizeLine(p.Name)), p.Tokens, ink.SanitizeLine(p.Begin))
	}
	fmt.Fprintf(w, "all, estimated\t%d\n", r.Tokens)
	_ = w.Flush()
	for _, f := range r.Instructions {
		fmt.Fprintf(&b, "instructions: %s\n", ink.SanitizeLine(f.Path))
	}
	return b.String() + "\n" + r.counted() + r.since()
}

// Body returns the body of the request, indented.
func (r Request) Body() string {
	var b bytes.Buffer
	if err := json.Indent(&b, r.Request, "", "  "); err != nil {
		return string(r.Request)
	}
	return b.String() + "\n"
}

// counted describes the provider's token counts in one line.
func (r Request) counted() string {
	u := r.Usage
	if u.Input == 0 {
		return "The provider counted no tokens.\n"
	}
	return fmt.Sprintf("The provider counted %s: %d read from its cache (%d %%), %d written to it.\n",
		phrase.Count(u.Input, "input token"), u.Cached, 100*u.Cached/u.Input, u.CacheWrite)
}

// since describes the changes since the previous step.
func (r Request) since() string {
	c := r.Since
	if c == nil {
		return ""
	}
	changed := func(is bool) string {
		if is {
			return "changed"
		}
		return "unchanged"
	}
	out := fmt.Sprintf("Since step %d: tools %s, system prompt %s, the first %s unchanged, %d removed, %d added.\n",
		r.Step-1, changed(c.Tools), changed(c.System), phrase.Count(c.Kept, "message"), c.Removed, c.Added)
	for _, why := range r.Compacted {
		out += "Compacted: " + ink.SanitizeLine(why) + ".\n"
	}
	return out + fmt.Sprintf("The unchanged beginning has about %s.\n", phrase.Count(c.KeptTokens, "token"))
}
