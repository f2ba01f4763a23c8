package plan

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agent/internal/loop/event"
)

// Parse reads a plan in Markdown: one of Markdown, as a user may have edited it, or
// one that a model wrote freely. Steps are the items or lines under a heading for
// steps, numbered or not. Text that belongs to no list becomes the notes. Parse never
// fails: the title and the steps are empty if it finds none.
func Parse(text string) event.Plan {
	blocks, title := split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	read := func(other section) event.Plan {
		p := &parser{plan: event.Plan{Title: title}}
		for _, b := range blocks {
			if b.kind == unknown {
				b.kind = other
			}
			p.add(b)
		}
		p.plan.Notes = strings.Trim(strings.Join(p.notes, "\n"), "\n")
		return p.plan
	}
	p := read(unknown)
	if len(p.Steps) == 0 { // they may be under headings of other names
		if other := read(preamble); len(other.Steps) > 0 {
			return other
		}
	}
	return p
}

// section is the kind of a section of a plan.
type section int

const (
	unknown  section = iota
	preamble         // before the first heading: the items of lists are steps
	steps
	details // details of the step in the heading
	files
	risks
	checks
	notes
)

// block is a heading with the lines below it.
type block struct {
	kind  section
	head  string // the line of an unknown heading, the step of details
	lines []string
}

var (
	headingLine = pattern(`^ {0,3}(#{1,6})\s+(.*?)[\s#]*$`)
	boldLine    = pattern(`^\*\*([^*]+)\*\*:?$`)
	itemLine    = pattern(`^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$`)
	ruleLine    = pattern(`^\s*(?:-{3,}|\*{3,}|_{3,})$`)
	fenceLine   = pattern("^\\s*(?:```|~~~)")
	// stepHeading is a heading that is a step itself.
	stepHeading = pattern(`(?i)^(?:(?:step|phase)\s+\d+\s*[.:)–—-]*|\d+[.)])\s*(\S.*)$`)
)

// sectionOf returns the section that a heading begins.
func sectionOf(heading string) section {
	heading = strings.ToLower(strings.Trim(heading, "*_: "))
	if heading == "notes" {
		return notes
	}
	for _, known := range []struct {
		kind  section
		words []string
	}{
		{files, []string{"file"}},
		{risks, []string{"risk"}},
		{checks, []string{"check", "verif", "validat", "test"}},
		{steps, []string{"step", "plan", "todo", "to do", "task", "phase", "implement", "change"}},
	} {
		if slices.ContainsFunc(known.words, func(w string) bool { return strings.Contains(heading, w) }) {
			return known.kind
		}
	}
	return unknown
}

// split returns the blocks of a text, and its title: a heading of the first level, or
// the first line. A heading that only says that this is a plan is no title.
func split(text string) (blocks []block, title string) {
	const maxLine = 120 // characters of a title that is no heading
	blocks = []block{{kind: preamble}}
	first, fence := true, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t")
		last := &blocks[len(blocks)-1]
		h := headingLine().FindStringSubmatch(line)
		bold := boldLine().FindStringSubmatch(line)
		if fenceLine().MatchString(line) {
			fence = !fence
		}
		switch {
		case fence, h != nil && last.kind == notes && len(h[1]) > 2:
			last.lines = append(last.lines, line)
		case h != nil && title == "" && (len(h[1]) == 1 || first && !stepHeading().MatchString(h[2])) && !announcesOnly(h[2]):
			title = h[2]
		case h != nil:
			blocks = append(blocks, headed(line, h[2]))
		case bold != nil && sectionOf(bold[1]) != unknown:
			blocks = append(blocks, block{kind: sectionOf(bold[1])})
		case first && line != "" && !itemLine().MatchString(line) && len([]rune(line)) <= maxLine:
			title = strings.TrimSpace(line)
		default:
			last.lines = append(last.lines, line)
		}
		first = first && line == ""
	}
	return blocks, title
}

// announcesOnly reports whether a heading only names a section.
func announcesOnly(heading string) bool {
	switch strings.ToLower(strings.Trim(heading, "*_: ")) {
	case "", "plan", "the plan", "implementation plan", "steps", "files", "risks", "checks", "notes", "context", "overview", "summary":
		return true
	}
	return false
}

// headed returns the block of a heading with that text.
func headed(line, text string) block {
	if step := stepHeading().FindStringSubmatch(strings.Trim(text, "*_ ")); step != nil {
		return block{kind: details, head: step[1]}
	}
	return block{kind: sectionOf(text), head: line}
}

// parser collects the contents of a plan.
type parser struct {
	plan  event.Plan
	notes []string
	below int // the step that the last note belongs to; 0 for none
}

// add adds the contents of a block.
func (p *parser) add(b block) {
	switch b.kind {
	case unknown:
		p.addNote(0, append([]string{b.head}, b.lines...)...)
	case notes:
		p.addNote(0, b.lines...)
	case details:
		p.plan.Steps = append(p.plan.Steps, b.head)
		p.addNote(len(p.plan.Steps), b.lines...)
	case files:
		p.items(b, &p.plan.Files)
	case risks:
		p.items(b, &p.plan.Risks)
	case checks:
		p.items(b, &p.plan.Checks)
	default:
		p.items(b, &p.plan.Steps)
	}
}

// items adds the items in a block to list: those of a Markdown list, also a line that
// the user wrote between them, or all lines if there is no list. An indented line
// continues an item. Everything else becomes notes.
func (p *parser) items(b block, list *[]string) {
	isList := slices.ContainsFunc(b.lines, func(line string) bool { return topItem(line) != "" }) || b.kind == preamble
	inItem, fence := false, false
	for _, line := range b.lines {
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		switch item := topItem(line); {
		case fenceLine().MatchString(line):
			fence, inItem = !fence, false
			p.noteBelow(list, line)
		case fence:
			p.noteBelow(list, line)
		case line == "":
			inItem = false
		case ruleLine().MatchString(line):
		case item != "":
			*list, inItem = append(*list, item), true
		case !indented && (inItem || !isList):
			*list, inItem = append(*list, strings.TrimSpace(line)), true
		case inItem && !itemLine().MatchString(line):
			(*list)[len(*list)-1] += " " + strings.TrimSpace(line)
		case indented:
			inItem = false
			p.noteBelow(list, line)
		default:
			p.addNote(0, line)
		}
	}
}

// topItem returns the text of an item that is not nested in another one; empty for
// another line.
func topItem(line string) string {
	if m := itemLine().FindStringSubmatch(line); m != nil && len(strings.ReplaceAll(m[1], "\t", "  ")) < 2 {
		return m[2]
	}
	return ""
}

// noteBelow adds a line that explains the last item of list.
func (p *parser) noteBelow(list *[]string, line string) {
	if list == &p.plan.Steps {
		p.addNote(len(p.plan.Steps), line)
		return
	}
	p.addNote(0, line)
}

// addNote adds lines to the notes. below is the number of the step that they explain; 0
// if they explain none.
func (p *parser) addNote(below int, lines ...string) {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return
	}
	if below != p.below || len(lines) > 1 {
		p.notes = append(p.notes, "")
	}
	if below > 0 && below != p.below {
		p.notes = append(p.notes, "Step "+strconv.Itoa(below)+":")
	}
	p.below = below
	p.notes = append(p.notes, lines...)
}

// pattern returns a function that compiles an expression when it is first called, because
// compiling all of them would delay every start.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
