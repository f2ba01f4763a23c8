package slash

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// custom are the typed commands that come from files.
type custom struct {
	commands []screen.CustomCommand
	told     map[string]bool // those of the repository whose origin was told
}

// adopt takes the commands from files, and returns what is to be told of those
// that cannot be had.
func (s *Session) adopt(all []screen.CustomCommand) (notices []string) {
	s.custom.told = map[string]bool{}
	own := BuiltIn()
	for _, c := range all {
		if slices.ContainsFunc(own, func(s Command) bool { return s.Name == c.Name || s.Also == c.Name }) {
			notices = append(notices, c.Source+" is not used: /"+c.Name+" is a command of the program. Give the file another name.")
			continue
		}
		s.custom.commands = append(s.custom.commands, c)
	}
	return notices
}

// fromFiles are the commands from files, as rows of the table.
func (s *Session) fromFiles() []Command {
	var out []Command
	for _, c := range s.custom.commands {
		what := ink.SanitizeLine(c.What)
		if what == "" {
			what = "the prompt in " + ink.SanitizeLine(c.Source)
		}
		if c.Theirs {
			what += " (from this repository)"
		} else {
			what += " (yours)"
		}
		out = append(out, Command{Name: c.Name, Args: ink.SanitizeLine(c.Args), What: what, Run: func(s *Session, arg string) (tea.Cmd, error) {
			s.runCustom(c, arg)
			return nil, nil
		}})
	}
	return out
}

// runCustom sends the prompt that a command stands for. The first time that one
// of the repository's is used, the person is told where it comes from.
func (s *Session) runCustom(c screen.CustomCommand, arg string) {
	if c.Theirs && !s.custom.told[c.Name] {
		s.custom.told[c.Name] = true
		s.Say("/" + c.Name + " comes with this repository (" + ink.SanitizeLine(c.Source) + "): what it says is sent as your prompt")
	}
	text := strings.TrimSpace(expandArgs(c.Text, arg))
	if text == "" {
		s.Say("/" + c.Name + " is empty: there is nothing in " + ink.SanitizeLine(c.Source))
		return
	}
	if strings.HasPrefix(text, "!") { // no command to run, not even when it is walked back to
		text = "/" + c.Name + ":\n" + text
	}
	s.Transcript.ShowEnd()
	s.SendPrompt(text)
}

// expandArgs puts what was typed behind a command into its text: all of it for
// $ARGUMENTS, the words for $1 to $9. Where there is no place for it, it comes at
// the end. What was typed is not looked into for such places.
func expandArgs(text, arg string) string {
	const all = "ARGUMENTS"
	words := argWords(arg)
	var b strings.Builder
	placed := false
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			break
		}
		switch rest, whole := strings.CutPrefix(after, all); {
		case whole:
			b.WriteString(arg)
			text, placed = rest, true
		case after != "" && '1' <= after[0] && after[0] <= '9':
			if n := int(after[0] - '1'); n < len(words) {
				b.WriteString(words[n])
			}
			text, placed = after[1:], true
		default:
			b.WriteByte('$')
			text = after
		}
	}
	if !placed && arg != "" {
		return strings.TrimRight(b.String(), "\n") + "\n\n" + arg
	}
	return b.String()
}

// argWords splits what was typed at blanks, but not within quotes.
func argWords(arg string) (words []string) {
	var b strings.Builder
	quote, begun := rune(0), false
	for _, r := range arg {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\'') && b.Len() == 0:
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, b.String())
			}
			b.Reset()
			begun = false
		default:
			b.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, b.String())
	}
	return words
}
