package tools

import (
	"fmt"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools/search"
	"agent/internal/tools/workspace"
)

// tell returns what shows people the first matches as they are found.
func tell(at workspace.Place, progress func(string), max int) func(search.Matched) {
	if progress == nil {
		return nil
	}
	return func(f search.Matched) {
		var b strings.Builder
		for _, m := range f.Matches {
			if max--; max >= 0 {
				first, _, _ := strings.Cut(m.Text, "\n")
				fmt.Fprintf(&b, "%s:%d: %s\n", spelled(at.Show(f.Path)), m.Line, first)
			}
		}
		if b.Len() > 0 {
			progress(b.String())
		}
	}
}

// searched lays out the results: a file, its matches, an empty line.
func searched(at workspace.Place, r search.Results, a searchArgs, most int) Result {
	var b strings.Builder
	shown, files := 0, 0
	for _, f := range r.Files {
		if b.Len() > maxOutput {
			break
		}
		files++
		b.WriteString(spelled(at.Show(f.Path)))
		if f.Binary {
			b.WriteString(": a binary file that matches\n\n")
			continue
		}
		b.WriteString("\n")
		n := writeMatches(&b, f)
		if more := f.Count - n; more > 0 {
			fmt.Fprintf(&b, "(%d more in this file)\n", more)
		}
		b.WriteString("\n")
		shown += n
	}
	summary := "no matches"
	if r.InFiles > 0 {
		summary = phrase.Count(r.Lines, "match") + " in " + phrase.Count(r.InFiles, "file")
	}
	if r.Cut {
		summary = "at least " + summary
	}
	b.WriteString(summary)
	if kinds := a.kinds(); r.InFiles == 0 && kinds != "" {
		b.WriteString(" in " + kinds)
	}
	b.WriteString(left(r, shown, files, most) + ".\n" + unsearched(r))
	return Result{Text: b.String(), Summary: summary + inShort(r.Limits)}
}

// left says what was found and is not shown, and what to do about it.
func left(r search.Results, shown, files, most int) string {
	text := ""
	if r.Cut {
		text = fmt.Sprintf(" (not all files were searched: with %d matches found, the rest was counted for %v only)", most, searchPatience)
	}
	if shown == r.Lines && files == r.InFiles && !r.Cut {
		return text
	}
	text += fmt.Sprintf("; shown are the first %d, in %s by path. Narrow the pattern, path or glob", shown, phrase.Count(files, "file"))
	if most < maxResults {
		text += ", or raise max_results"
	}
	return text
}

// unsearched says what could not be looked into.
func unsearched(r search.Results) string {
	text := unreadable(r.Unreadable)
	if r.Large > 0 {
		text += fmt.Sprintf("%s not searched: larger than %d MB, which is too large for multiline. Search without it there.\n",
			phrase.Count(r.Large, "file"), search.MaxWhole>>20)
	}
	return text + limited(r.Limits, "searched")
}

// limited tells the model which limits a call reached, and what to do. done is
// what was not done with all files: "searched".
func limited(l search.Limits, done string) string {
	text := ""
	if l.Rules {
		text += "Not all ignore rules were applied: there are too many of them here, or they are too costly. " +
			"So files that git ignores may be among these. Give a narrower path.\n"
	}
	if l.Deep > 0 {
		text += fmt.Sprintf("%s not %s: too many levels below the start. Give a path further down.\n", phrase.Count(l.Deep, "directory"), done)
	}
	if l.Large > 0 {
		text += fmt.Sprintf("%s not %s to the end: too many entries in one directory. For those use a command in the shell.\n", phrase.Count(l.Large, "directory"), done)
	}
	if l.Grown > 0 {
		text += fmt.Sprintf("%s not %s to the end: still growing.\n", phrase.Count(l.Grown, "file"), done)
	}
	return text
}

// inShort tells the user that a call reached limits, as the end of a summary.
func inShort(l search.Limits) string {
	switch {
	case l.Deep+l.Large+l.Grown > 0:
		return ", incomplete"
	case l.Rules:
		return ", ignore rules incomplete"
	}
	return ""
}

// unreadable says what could not be read.
func unreadable(u search.Unreadable) string {
	if u.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%s could not be read, one of them: %v.\n", phrase.Count(u.Count, "place"), u.First)
}

// writeMatches writes the matching lines of a file, each with its number, and
// those around them. It returns how many matches it wrote.
func writeMatches(b *strings.Builder, f search.Matched) int {
	last := 0 // the last line written
	for i, m := range f.Matches {
		if b.Len() > maxOutput {
			return i
		}
		first := m.Line - len(m.Before)
		if last > 0 && first > last+1 && len(m.Before)+len(m.After) > 0 {
			b.WriteString("--\n")
		}
		for j, text := range m.Before {
			if n := first + j; n > last {
				fmt.Fprintf(b, "%d- %s\n", n, text)
			}
		}
		next := m.Line
		for text := range strings.SplitSeq(m.Text, "\n") {
			fmt.Fprintf(b, "%d: %s\n", next, text)
			next++
		}
		if m.Left > 0 {
			fmt.Fprintf(b, "(%s more of this match)\n", phrase.Count(m.Left, "line"))
			next += m.Left
		}
		last = next - 1
		for j, text := range m.After {
			if i+1 < len(f.Matches) && next+j >= f.Matches[i+1].Line {
				break
			}
			fmt.Fprintf(b, "%d- %s\n", next+j, text)
			last = next + j
		}
	}
	return len(f.Matches)
}
