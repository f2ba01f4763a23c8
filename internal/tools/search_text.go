package tools

import (
	"fmt"
	"strings"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/search"
	"agent/internal/tools/workspace"
)

// showMatches returns a function that shows the user the first matches as they
// are found.
func showMatches(at workspace.Place, progress func(string), max int) func(search.Matched) {
	if progress == nil {
		return nil
	}
	return func(f search.Matched) {
		var b strings.Builder
		for _, m := range f.Matches {
			if max--; max >= 0 {
				first, _, _ := strings.Cut(m.Text, "\n")
				fmt.Fprintf(&b, "%s:%d: %s\n", quoteName(at.Show(f.Path)), m.Line, first)
			}
		}
		if b.Len() > 0 {
			progress(b.String())
		}
	}
}

// searchResult formats the results: per file its path, its matches and an empty
// line.
func searchResult(at workspace.Place, r search.Results, a searchArgs, most int) Result {
	var b strings.Builder
	room := defaultOutput
	if a.MaxResults > 0 {
		room = maxOutput
	}
	shown, files := 0, 0
	for _, f := range r.Files {
		if b.Len() > room {
			break
		}
		files++
		b.WriteString(quoteName(at.Show(f.Path)))
		if f.Binary {
			b.WriteString(": binary file matches\n\n")
			continue
		}
		b.WriteString("\n")
		n := writeMatches(&b, f, room)
		if more := f.Count - n; more > 0 {
			b.WriteString(marker.Note("%d more in this file", more) + "\n")
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
	if kinds := a.fileScope(); r.InFiles == 0 && kinds != "" {
		b.WriteString(" in " + kinds)
	}
	b.WriteString(".\n" + omittedNote(r, shown, files, most) + unsearchedNote(r))
	if re2, ok := search.FromGrep(a.Pattern); ok && r.InFiles == 0 && strings.Contains(a.Pattern, `\|`) {
		fmt.Fprintf(&b, "Patterns are RE2, in which \\| is a literal character. If you meant the operator, the pattern is: %s\n", re2)
	}
	return Result{Text: b.String(), Summary: summary + limitsSummary(r.Limits)}
}

// omittedNote describes matches that are not shown, and how to get them.
func omittedNote(r search.Results, shown, files, most int) string {
	text := ""
	if r.Cut {
		text = fmt.Sprintf("Not all files were searched: after %d matches, counting stopped after %v.\n", most, searchPatience)
	}
	if shown == r.Lines && files == r.InFiles && !r.Cut {
		return text
	}
	more := ""
	if most < maxResults {
		more = ", or raise max_results"
	}
	return text + marker.Note("the first %d are shown, in %s by path; narrow the pattern, path or glob%s", shown, phrase.Count(files, "file"), more) + "\n"
}

// unsearchedNote describes files that were not searched.
func unsearchedNote(r search.Results) string {
	text := unreadableNote(r.Unreadable)
	if r.Large > 0 {
		text += fmt.Sprintf("%s not searched: larger than the %d MB limit of multiline. Search those without multiline.\n",
			phrase.Count(r.Large, "file"), search.MaxMultilineBytes>>20)
	}
	if r.Secret > 0 {
		text += fmt.Sprintf("Not searched: %s that may hold secrets, such as .env.\n", phrase.Count(r.Secret, "file"))
	}
	return text + limitsNote(r.Limits, "searched")
}

// limitsNote describes for the model which limits were reached and what to do.
// done is the participle of the operation, such as "searched".
func limitsNote(l search.Limits, done string) string {
	text := ""
	if l.Rules {
		text += "Not all ignore rules were applied: too many, or too complex. " +
			"The results may include files that git ignores. Give a narrower path.\n"
	}
	if l.Deep > 0 {
		text += fmt.Sprintf("%s not %s: too deeply nested. Give a deeper path.\n", phrase.Count(l.Deep, "directory"), done)
	}
	if l.Large > 0 {
		text += fmt.Sprintf("%s not completely %s: too many entries. Use a command in shell for these.\n", phrase.Count(l.Large, "directory"), done)
	}
	if l.Grown > 0 {
		text += fmt.Sprintf("%s not completely %s: still growing.\n", phrase.Count(l.Grown, "file"), done)
	}
	return text
}

// limitsSummary returns the end of a summary that tells the user about reached
// limits.
func limitsSummary(l search.Limits) string {
	switch {
	case l.Deep+l.Large+l.Grown > 0:
		return ", incomplete"
	case l.Rules:
		return ", ignore rules incomplete"
	}
	return ""
}

// unreadableNote describes files and directories that could not be read.
func unreadableNote(u search.Unreadable) string {
	if u.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%s could not be read; the first error: %v.\n", phrase.Count(u.Count, "path"), u.First)
}

// writeMatches writes the matches of a file with line numbers and context, until b
// has more than room bytes. It returns the number of matches written.
func writeMatches(b *strings.Builder, f search.Matched, room int) int {
	last := 0 // last line number written
	for i, m := range f.Matches {
		if b.Len() > room {
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
			b.WriteString(marker.Note("%s more of this match", phrase.Count(m.Left, "line")) + "\n")
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
