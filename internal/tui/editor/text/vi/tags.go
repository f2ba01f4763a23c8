package vi

import (
	"regexp"
	"strings"
)

// tag is an opening or closing markup tag, such as <b> or </b>.
type tag struct {
	from, to int
	name     string
	closes   bool
}

// tags returns all tags of a text except self-closing ones.
func tags(s string) (all []tag) {
	for _, at := range regexp.MustCompile(`<(/?)([A-Za-z][^\s>/]*)[^>]*>`).FindAllStringSubmatchIndex(s, -1) {
		if strings.HasSuffix(s[at[0]:at[1]], "/>") {
			continue
		}
		all = append(all, tag{at[0], at[1], s[at[4]:at[5]], at[2] < at[3]})
	}
	return all
}

// tagged returns the range between the n-th pair of tags around an offset.
func (b buffer) tagged(at, n int, around bool) (from, to int, ok bool) {
	var open []tag
	for _, t := range tags(b.String()) {
		if !t.closes {
			open = append(open, t)
			continue
		}
		i := len(open) - 1
		for i >= 0 && !strings.EqualFold(open[i].name, t.name) {
			i--
		}
		if i < 0 {
			continue
		}
		first := open[i]
		open = open[:i]
		if first.from > at || t.to <= at {
			continue
		}
		if n--; n > 0 {
			continue
		}
		if around {
			return first.from, t.to, true
		}
		return first.to, t.from, true
	}
	return 0, 0, false
}
