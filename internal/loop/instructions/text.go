package instructions

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

//go:embed intro.md
var intro string

const (
	// share is the part of the context window that all instructions may fill: a
	// tenth.
	share = 10
	// unknownWindow is the assumed window of a model whose window is unknown, in tokens.
	unknownWindow = 128_000
	// skillShare is the part of the instructions that the list of skills may fill: a
	// quarter.
	skillShare = 4
	// minSkillWindow is the smallest context window with a list of skills: models with
	// a smaller one are not offered the skill tool.
	minSkillWindow = 16_000
	// minPart is the smallest budget for which the beginning of a file is included,
	// in tokens.
	minPart = 200
)

// Text returns the instructions for the system prompt of a model with that context
// window, in tokens (0 if unknown), and the files in use. It reads the files again.
// They fill at most a tenth of the window. The nearest file to the working directory
// comes first; files without room are listed by path.
func (p *Project) Text(window int) (string, []event.InstructionFile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.load()
	p.loadSkills()
	if window <= 0 {
		window = unknownWindow
	}
	p.window = window
	left := window/share - tokens(intro)
	skills := ""
	if window >= minSkillWindow {
		skills = p.skillList(min(left, window/share/skillShare))
	}
	left -= tokens(skills)
	var all []File
	for _, l := range slices.Backward(p.base) {
		all = append(all, l.files...)
	}
	parts, rest := fit(all, left)
	if len(parts) == 0 && rest == "" && skills == "" {
		p.used, p.sent = 0, map[string]string{}
		return "", nil
	}
	var b strings.Builder
	var used []event.InstructionFile
	if len(parts) > 0 || rest != "" {
		b.WriteString(intro)
	}
	for _, l := range p.base {
		for _, f := range l.files {
			if text, ok := parts[f.real]; ok {
				b.WriteString("\n" + text)
			}
			used = append(used, event.InstructionFile{Path: f.Path, Sum: f.Sum})
		}
	}
	b.WriteString(rest)
	if b.Len() > 0 && skills != "" {
		b.WriteByte('\n')
	}
	b.WriteString(skills)
	p.used, p.sent = tokens(b.String()), map[string]string{}
	for _, f := range all {
		p.sent[f.real] = f.Sum
	}
	return b.String(), used
}

// fit returns the parts of the prompt for the files that fit into a number of tokens,
// by real path, and the list of the others. The first files have priority. Of the
// first one that does not fit, the part is its beginning.
func fit(files []File, left int) (parts map[string]string, rest string) {
	parts = map[string]string{}
	const head = "\nThese instruction files did not fit. Read the ones that concern your task:\n"
	all, list := 0, tokens(head)
	for _, f := range files {
		all += tokens(element(f.Path, f.Text)) + 1
		list += tokens(line(f)) + 1
	}
	if all <= left {
		list = 0
	}
	list = min(list, left/4)
	left -= list
	cut := false
	for _, f := range files {
		part := element(f.Path, f.Text)
		if tokens(part)+1 > left {
			if part = ""; !cut {
				part, cut = beginning(f, left), true
			}
		}
		if part != "" {
			parts[f.real] = part
			left -= tokens(part) + 1
			continue
		}
		if rest == "" {
			list -= tokens(head)
		}
		if list -= tokens(line(f)) + 1; list >= 0 {
			rest += line(f)
		}
	}
	if rest != "" {
		rest = head + rest
	}
	return parts, rest
}

// line is the row of a file that does not fit.
func line(f File) string { return fmt.Sprintf("- %s (%s)\n", f.Path, phrase.Bytes(int64(f.Size))) }

// beginning returns the part of the prompt with the first lines of a file that is
// too long; empty if there is no room for a useful part.
func beginning(f File, left int) string {
	if left < minPart {
		return ""
	}
	end := func(lines int) string {
		return fmt.Sprintf("[Only the first %s. Read the rest of %s yourself.]\n", phrase.Count(lines, "line"), f.Path)
	}
	left -= tokens(element(f.Path, "")) + tokens(end(1_000_000)) + 1
	n, lines := 0, 0
	for l := range strings.Lines(f.Text) {
		cost := tokens(l) + 1
		if cost > left {
			break
		}
		left -= cost
		n += len(l)
		lines++
	}
	if lines == 0 {
		return ""
	}
	return element(f.Path, f.Text[:n]+end(lines))
}

// element marks a text as the content of a file.
func element(path, text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "</instructions", "<\\/instructions")
	return fmt.Sprintf("<instructions file=%q>\n%s\n</instructions>\n", path, text)
}

// tokens estimates the tokens of a text. The estimate is high rather than low.
func tokens(s string) int {
	ascii := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		}
	}
	return (2*ascii+6)/7 + utf8.RuneCountInString(s) - ascii
}
