package prompt

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// filesLimit is the maximum number of suggested files.
const filesLimit = 50

// retryPause is the time until a search with a result that is not final is repeated.
const retryPause = 150 * time.Millisecond

// filesDue reports that search number is to be repeated.
type filesDue struct{ number int }

// filesFound is the result of search number for files.
type filesFound struct {
	word
	number int
	found  []screen.Match
	final  bool
}

// commandTyped returns the typed name of a slash command, or its argument.
func commandTyped(raw string, caret int) word {
	rest, ok := strings.CutPrefix(raw, "/")
	if !ok || strings.Contains(raw, "\n") {
		return word{}
	}
	name, arg, more := strings.Cut(rest, " ")
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' {
			return word{}
		}
	}
	switch {
	case !more:
		return word{source: fromCommands, to: len(raw), query: name}
	case caret == len(raw):
		return word{source: fromArguments, from: len(raw) - len(arg), to: len(raw), query: arg, command: name}
	}
	return word{}
}

// fileTyped returns the @mention of a file at the end of line, which ends at the
// cursor. A path with blanks is in quotes.
func fileTyped(line string, caret int) word {
	at := strings.LastIndexByte(line, '@')
	if at < 0 {
		return word{}
	}
	before, _ := utf8.DecodeLastRuneInString(line[:at])
	if at > 0 && !unicode.IsSpace(before) && !strings.ContainsRune(`([{<"'`, before) {
		return word{}
	}
	query := line[at+1:]
	quoted := strings.HasPrefix(query, `"`)
	query = strings.TrimPrefix(query, `"`)
	if quoted && strings.Contains(query, `"`) || !quoted && strings.ContainsFunc(query, unicode.IsSpace) {
		return word{}
	}
	return word{source: fromFiles, from: caret - (len(line) - at), to: caret, query: query}
}

// suggestFiles searches for the files that match a word.
func (p *Suggestions) suggestFiles(w word) tea.Cmd {
	if !w.same(p.word) {
		p.close()
	}
	if p.search.stop != nil {
		p.search.stop()
	}
	p.word = w
	ctx, stop := context.WithCancel(context.Background())
	p.search.stop = stop
	p.search.number++
	number, files := p.search.number, p.Options.Files.Find
	return func() tea.Msg {
		defer stop()
		found, final := files(ctx, w.query, filesLimit)
		if ctx.Err() != nil {
			return nil // what is shown stays until the result of the next search
		}
		return filesFound{w, number, found, final}
	}
}

// apply shows the result of a search, unless that of a later one is shown.
func (p *Suggestions) apply(msg filesFound) tea.Cmd {
	if !msg.same(p.word) || msg.number < p.search.shown {
		return nil
	}
	p.search.shown = msg.number
	var rows []list.Suggestion
	for _, f := range msg.found {
		rows = append(rows, fileSuggestion(f))
	}
	p.offer(p.withMentions(rows, msg.query))
	if !msg.final {
		return p.After(retryPause, filesDue{msg.number})
	}
	return nil
}

// repeat searches again after a result that was not final.
func (p *Suggestions) repeat(msg filesDue) tea.Cmd {
	if p.word.source == fromFiles && msg.number == p.search.number {
		return p.suggestFiles(p.word)
	}
	return nil
}

// fileSuggestion returns the @mention of a file.
func fileSuggestion(f screen.Match) list.Suggestion {
	path := f.Path
	if f.Dir {
		path += "/"
	}
	s := list.Suggestion{Text: "@" + path, Continues: f.Dir, Label: ink.SanitizeLine(path)}
	if s.Label == path {
		s.At = f.At
	}
	if strings.ContainsFunc(path, unicode.IsSpace) {
		s.Text = `@"` + path
		if !f.Dir {
			s.Text += `"`
		}
	}
	return s
}

// matching returns the commands, or the arguments of one, that begin with a word,
// then those that contain it.
func (p *Suggestions) matching(w word) []list.Suggestion {
	var prefixed, containing []list.Suggestion
	query := strings.ToLower(w.query)
	add := func(s list.Suggestion, name string) {
		i := strings.Index(strings.ToLower(name), query)
		from := strings.Index(s.ShownAs(), name) + i
		for n := range len(query) {
			s.At = append(s.At, from+n)
		}
		switch {
		case i == 0:
			prefixed = append(prefixed, s)
		case i > 0:
			containing = append(containing, s)
		}
	}
	for _, c := range p.slash.Commands() {
		switch {
		case w.source == fromCommands:
			add(list.Suggestion{Text: "/" + c.Name, Label: ink.SanitizeLine(c.Usage()), What: ink.SanitizeLine(c.What), Complete: c.Args == ""}, c.Name)
			if c.Also != "" && c.Also == w.query { // an alias is suggested only if typed in full
				add(list.Suggestion{Text: "/" + c.Also, What: ink.SanitizeLine(c.What), Complete: c.Args == ""}, c.Also)
			}
		case c.Complete != nil && (c.Name == w.command || c.Also == w.command):
			for _, a := range c.Complete(p.slash) {
				open := strings.HasSuffix(a, " ") || strings.HasSuffix(a, "=") // more must be typed
				add(list.Suggestion{Text: a, Complete: !open, Continues: open}, ink.SanitizeLine(a))
			}
		}
	}
	return append(prefixed, containing...)
}
