package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/sampling"
)

// search returns the hits, as ID and body, and the texts of errors.
func search(t *testing.T, s *history.Store, q history.Query) (hits, problems []string) {
	t.Helper()
	for h, err := range s.Search(context.Background(), q) {
		if err != nil {
			problems = append(problems, h.ID+": "+err.Error())
			continue
		}
		v, err := s.View(h.ID)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := v.At(h.Offset); err != nil || r.Seq != h.Seq || !bytes.Equal(r.Body, h.Body) {
			t.Errorf("the hit %d at %d is not there: %v", h.Seq, h.Offset, err)
		}
		v.Close()
		hits = append(hits, h.ID+" "+string(h.Body))
	}
	return hits, problems
}

// told creates a session with the given texts.
func told(t *testing.T, s *history.Store, id string, texts ...string) (records []string) {
	t.Helper()
	l := s.Create(history.Header{ID: id, Dir: "/tide"})
	for _, text := range texts {
		record := `{"type":"user","text":"` + text + `"}`
		if err := l.Append([]byte(record), false); err != nil {
			t.Fatal(err)
		}
		records = append(records, id+" "+record)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return records
}

func TestSearchIgnoresCaseAndEscapes(t *testing.T) {
	s := history.Open(t.TempDir())
	said := told(t, s, "x",
		`The tide TABLE is off`,
		`tide\ntable of caf\u00e9`,
		`a \"quoted phrase\" here`,
		`café <b>`,
		`nothing`)
	for _, c := range []struct {
		texts []string
		want  []int
	}{
		{[]string{"Tide table"}, []int{0}},
		{[]string{"tide", "table"}, []int{0, 1}},
		{[]string{"TABLE", "off"}, []int{0}},
		{[]string{"café"}, []int{1, 3}},
		{[]string{`"quoted phrase"`}, []int{2}},
		{[]string{"é"}, []int{0, 1, 2, 3, 4}},
		{[]string{"tides"}, nil},
		{[]string{"/tide"}, []int{0, 1}}, // not the header
		{nil, []int{0, 1, 2, 3, 4}},
	} {
		var want []string
		for _, i := range c.want {
			want = append(want, said[i])
		}
		got, problems := search(t, s, history.Query{Texts: c.texts})
		t.Run(strings.Join(c.texts, "+"), func(t *testing.T) {
			same(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
			same(t, problems, nil)
		})
	}
}

func TestSearchOrderAndKeep(t *testing.T) {
	s := history.Open(t.TempDir())
	var want []string
	var order []string
	for i := range 20 {
		id := fmt.Sprintf("s%02d", i)
		order = append(order, id)
		var texts []string
		for n := range 40 {
			texts = append(texts, fmt.Sprintf("word %d of %d", n, i))
		}
		for n, record := range told(t, s, id, texts...) {
			if n%2 == 1 {
				want = append(want, record)
			}
		}
	}
	odd := regexp.MustCompile(`word \d*[13579] of`)
	got, problems := search(t, s, history.Query{
		Texts: []string{"WORD"},
		Keep:  func(r history.Record) bool { return odd.Match(r.Body) },
		IDs:   order,
	})
	same(t, got, want)
	same(t, problems, nil)

	got, problems = search(t, s, history.Query{Texts: []string{"word 7 of"}, IDs: []string{"s03", "gone", "s01"}})
	same(t, len(got), 2)
	same(t, strings.HasPrefix(got[0], "s03 ") && strings.HasPrefix(got[1], "s01 "), true)
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "gone: search session gone: ") {
		t.Errorf("problems: %q", problems)
	}
}

func TestSearchEnds(t *testing.T) {
	s := history.Open(t.TempDir())
	for i := range 10 {
		told(t, s, fmt.Sprintf("s%02d", i), slices.Repeat([]string{"word"}, 100)...)
	}
	n := 0
	for _, err := range s.Search(context.Background(), history.Query{Texts: []string{"word"}}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var last error
	for _, err := range s.Search(ctx, history.Query{Texts: []string{"word"}}) {
		stop()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the search that was given up ended with %v", last)
	}
	if hits, problems := search(t, history.Open(t.TempDir()), history.Query{}); hits != nil || problems != nil {
		t.Errorf("in nothing: %q, %q", hits, problems)
	}
}

func TestSearchSkipsDamage(t *testing.T) {
	text, ends := sample(t, 4)
	s, _ := place(t, slices.Concat(text[:ends[1]], []byte(`{"seq":2,"type":"note","n`), text[ends[1]:ends[2]-1], text[ends[2]:ends[3]], []byte("\x00\x00note"), text[ends[3]:ends[4]-5]))
	hits, problems := search(t, s, history.Query{Texts: []string{"note"}})
	same(t, hits, []string{"x " + body(1), "x " + body(2), "x " + body(3)})
	same(t, problems, nil)
}

// The end of a search block falls on each byte of a record.
func TestSearchAcrossBlocksAtEveryByte(t *testing.T) {
	const block = 256 << 10
	dir := t.TempDir()
	line := func(n int) []byte { return fmt.Appendf(nil, `{"type":"note","text":%q}`, strings.Repeat("y", n)) }
	for pad := block - 250; pad < block+20; pad += sampling.Step() {
		m := &memory{}
		l, _ := m.resume(t)
		for _, record := range [][]byte{line(pad), []byte(`{"type":"note","text":"Needle"}`), line(300_000), []byte(`{"type":"note","text":"NEEDLE"}`)} {
			if err := l.Append(record, false); err != nil {
				t.Fatal(err)
			}
		}
		put(t, dir, m.text)
		hits, _ := search(t, history.Open(dir), history.Query{Texts: []string{"needle"}})
		same(t, hits, []string{`x {"type":"note","text":"Needle"}`, `x {"type":"note","text":"NEEDLE"}`})
	}
}

// Compares with a simple search of every record in lower case.
func TestSearchFindsEveryMatch(t *testing.T) {
	s := history.Open(t.TempDir())
	r := rand.New(rand.NewPCG(1, 2))
	letters := "abAB zZ@[`{09\u00e9\u00c0"
	chance := func(n int) string {
		var b strings.Builder
		runes := []rune(letters)
		for range n {
			b.WriteRune(runes[r.IntN(len(runes))])
		}
		return b.String()
	}
	var texts []string
	for range 300 {
		texts = append(texts, chance(r.IntN(60)))
	}
	said := told(t, s, "x", texts...)
	for range 60 {
		needle := chance(1 + r.IntN(3))
		has := func(body string) bool {
			_, text, _ := strings.Cut(body, `"text":"`)
			return strings.Contains(strings.ToLower(text), strings.ToLower(needle))
		}
		var want []string
		for i, record := range said {
			if has(`"text":"` + texts[i]) {
				want = append(want, record)
			}
		}
		got, _ := search(t, s, history.Query{Texts: []string{needle}, Keep: func(r history.Record) bool {
			return has(strings.TrimSuffix(string(r.Body), `"}`))
		}})
		if !slices.Equal(got, want) {
			t.Fatalf("of %q: %d hits, want %d", needle, len(got), len(want))
		}
	}
}

func TestRequiredText(t *testing.T) {
	for expr, want := range map[string]string{
		`tide`:               "tide",
		`(?i)Tide`:           "tide",
		`tide|table`:         "t",
		`tide|low`:           "",
		`x+(?:abc)y`:         "abcy",
		`(high|low) water`:   " water",
		`wat(er)+ \d{3}`:     "wat",
		`a{2,}`:              "a",
		`(tide)?`:            "",
		`\btide\s+table`:     "table",
		`say "hello" to`:     "hello",
		`café au lait`:       " au lait",
		`\d+`:                "",
		`^func .*Handler\(w`: "Handler(w",
	} {
		got, err := history.RequiredText(expr)
		if err != nil {
			t.Fatal(err)
		}
		same(t, strings.ToLower(got), strings.ToLower(want))
	}
	if _, err := history.RequiredText(`(`); err == nil {
		t.Error("no error")
	}
}

func TestSearchRejectsSharedDirectory(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "sessions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, q := range []history.Query{{}, {IDs: []string{"x"}}} {
		if _, problems := search(t, history.Open(root), q); len(problems) != 1 {
			t.Errorf("problems: %q", problems)
		}
	}
}
