package recording

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// difference is a place where two JSON values differ.
type difference struct {
	at       string // "messages[2].content"
	was, now string // the beginning of the different part
}

func (d difference) String() string {
	return fmt.Sprintf("%s was %s, is now %s", d.at, d.was, d.now)
}

// missing stands for a value that only the other side has.
const missing = "missing"

// differences appends the places where two values differ to all.
func differences(at string, a, b any, all []difference) []difference {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			v, inX := x[k]
			w, inY := y[k]
			place := strings.TrimPrefix(at+"."+k, ".")
			switch {
			case !inX:
				all = append(all, difference{place, missing, excerpt(w, 0)})
			case !inY:
				all = append(all, difference{place, excerpt(v, 0), missing})
			default:
				all = differences(place, v, w, all)
			}
		}
		return all
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(x), len(y)) {
			place := fmt.Sprintf("%s[%d]", at, i)
			switch {
			case i >= len(x):
				all = append(all, difference{place, missing, excerpt(y[i], 0)})
			case i >= len(y):
				all = append(all, difference{place, excerpt(x[i], 0), missing})
			default:
				all = differences(place, x[i], y[i], all)
			}
		}
		return all
	case string:
		y, ok := b.(string)
		if !ok || x == y {
			break
		}
		return textDifferences(at, x, y, all)
	}
	if was, now := excerpt(a, 0), excerpt(b, 0); was != now {
		all = append(all, difference{at, was, now})
	}
	return all
}

// textDifferences appends the lines in which two texts differ; only the first difference
// if they have different numbers of lines.
func textDifferences(at, x, y string, all []difference) []difference {
	was, now := strings.Split(x, "\n"), strings.Split(y, "\n")
	if len(was) > 1 && len(was) == len(now) {
		for i := range was {
			if was[i] != now[i] {
				all = textDifferences(fmt.Sprintf("%s line %d", at, i+1), was[i], now[i], all)
			}
		}
		return all
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return append(all, difference{at, excerpt(x, same), excerpt(y, same)})
}

// excerpt returns a short part of a value; of a string the part around the byte from.
func excerpt(v any, from int) string {
	const before, most = 20, 60
	if s, ok := v.(string); ok && from > before {
		v = "…" + strings.ToValidUTF8(s[from-before:], "")
	}
	text, _ := json.Marshal(v)
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "…"
	}
	return string(text)
}
