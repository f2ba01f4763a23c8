package screen

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Manual holds the help topics of the program.
type Manual struct {
	Groups []TopicGroup // in the order in which to read them
	// Text returns the Markdown of a topic; empty if there is none with this name.
	Text func(topic string) string
}

// TopicGroup is a group of topics.
type TopicGroup struct {
	Name   string
	Topics []string
}

// Passage is a line of a topic, or the beginning of one.
type Passage struct {
	Topic   string
	Heading string // of its section
	Line    int    // from 1, of the Markdown; 0 for the beginning
	Text    string // the line, without marks of Markdown
	Words   string // to highlight; may be empty
}

// Has reports whether there is a topic with this name.
func (m Manual) Has(topic string) bool { return slices.Contains(m.Names(), topic) }

// Names returns the names of the topics.
func (m Manual) Names() []string {
	var names []string
	for _, g := range m.Groups {
		names = append(names, g.Topics...)
	}
	return names
}

// Search returns the passages whose paragraph, heading or table row has all words, ignoring
// case and words such as "how". Passages in topics and sections that are named for the words
// come first.
func (m Manual) Search(words string) []Passage {
	type ranked struct {
		Passage
		rank int // lower is better
	}
	var found []ranked
	all := searched(words)
	for _, topic := range m.Names() {
		for _, b := range blocks(m.Text(topic)) {
			line, ok := b.match(all)
			if !ok {
				continue
			}
			p := Passage{Topic: topic, Heading: b.heading, Line: b.line + line, Text: unmarked(b.lines[line]), Words: slices.MaxFunc(all, func(a, b string) int { return len(a) - len(b) })}
			if strings.Contains(strings.ToLower(p.Text), strings.ToLower(words)) {
				p.Words = strings.ToLower(words)
			}
			found = append(found, ranked{p, b.rank(topic, all)})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return a.rank - b.rank })
	var passages []Passage
	for _, f := range found {
		passages = append(passages, f.Passage)
	}
	return passages
}

// searched returns the words to search for, in lower case: those with a meaning, or all words if
// none has one.
func searched(words string) []string {
	all := strings.FieldsFunc(strings.ToLower(words), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("?!,;\"'", r) })
	some := slices.DeleteFunc(slices.Clone(all), func(w string) bool {
		return slices.Contains([]string{"a", "an", "the", "how", "what", "why", "when", "where", "do", "does", "did", "can", "i", "it", "is", "are", "to", "of", "in", "my"}, w)
	})
	if len(some) == 0 {
		return all
	}
	return some
}

// Find returns the passage that a link such as "undo.md#git" or "undo.md" leads to. It reports
// false if that is not in the manual.
func (m Manual) Find(link string) (Passage, bool) {
	file, fragment, _ := strings.Cut(link, "#")
	topic, ok := strings.CutSuffix(file, ".md")
	if !ok || !m.Has(topic) {
		return Passage{}, false
	}
	p := Passage{Topic: topic}
	for _, b := range blocks(m.Text(topic)) {
		if b.isHeading && fragment != "" && anchor(b.heading) == fragment {
			p.Heading, p.Line, p.Text = b.heading, b.line, b.heading
			break
		}
	}
	return p, true
}

// Section returns the Markdown of the section of a passage, or the complete topic if
// the passage has no line.
func (m Manual) Section(p Passage) string {
	text := m.Text(p.Topic)
	if p.Line == 0 {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	from, to := 0, len(lines)
	for _, b := range blocks(text) {
		switch at := b.line - 1; {
		case b.isHeading && at < p.Line:
			from = at
		case b.isHeading:
			return strings.TrimSpace(strings.Join(lines[from:at], "")) + "\n"
		}
	}
	return strings.Join(lines[from:to], "")
}

// block is a part of a topic: a heading, a paragraph, an item of a list, a row of a table or a
// line of code.
type block struct {
	heading   string // its section, or itself
	isHeading bool
	line      int // of its first line, from 1
	lines     []string
}

// blocks splits the Markdown of a topic.
func blocks(text string) (all []block) {
	heading, code, open := "", false, false
	for i, line := range strings.Split(text, "\n") {
		b := block{heading: heading, line: i + 1, lines: []string{line}}
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			code, open = !code, false
		case strings.TrimSpace(line) == "" || strings.Trim(line, "|-: ") == "":
			open = false
		case !code && strings.HasPrefix(line, "#"):
			heading, open = unmarked(line), false
			b.heading, b.isHeading = heading, true
			all = append(all, b)
		case open && !itemStart.MatchString(line):
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		default:
			all, open = append(all, b), !code
		}
	}
	return all
}

// itemStart matches the beginning of an item of a list or of a row of a table.
var itemStart = regexp.MustCompile(`^\s*([-*|]|\d+\.) ?`)

// match reports whether a block has all words, and returns the index of the first line with one.
func (b block) match(words []string) (line int, ok bool) {
	text := strings.ToLower(strings.Join(b.lines, " "))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return 0, false
		}
	}
	return slices.IndexFunc(b.lines, func(l string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(l), w) })
	}), len(words) > 0
}

// rank returns how far behind other blocks with the words a block of a topic is listed.
func (b block) rank(topic string, words []string) int {
	rank := 0
	if strings.HasPrefix(b.lines[0], "|") {
		rank++
	}
	for _, w := range words {
		if !strings.Contains(topic, w) {
			rank += 2
		}
		if !strings.Contains(strings.ToLower(b.heading), w) {
			rank += 2
		}
	}
	return rank
}

// anchor returns the fragment of a heading, as GitHub makes it.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z':
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unmarked returns a line of Markdown as text.
func unmarked(line string) string {
	line = strings.TrimLeft(strings.TrimSpace(line), "#-* ")
	line = markdownLink.ReplaceAllString(line, "$1")
	line = strings.NewReplacer("`", "", "**", "", "\\|", "|", " | ", " · ").Replace(line)
	return strings.TrimSpace(strings.Trim(line, "|"))
}

// markdownLink matches a link.
var markdownLink = regexp.MustCompile(`\[([^\[\]]*)\]\([^)\s]*\)`)
