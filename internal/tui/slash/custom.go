package slash

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// custom holds the commands from files.
type custom struct {
	output
	send      func(event.Prompt)
	commands  []screen.CustomCommand
	announced map[string]bool // repository commands that were used, by name
}

// newCustom returns the commands all, and notices about those that cannot be used. send
// sends a prompt.
func newCustom(o output, send func(event.Prompt), all []screen.CustomCommand) (u *custom, notices []string) {
	u = &custom{output: o, send: send, announced: map[string]bool{}}
	builtIn := BuiltIn()
	for _, c := range all {
		if slices.ContainsFunc(builtIn, func(b Command) bool { return b.Name == c.Name || b.Also == c.Name }) {
			notices = append(notices, c.Source+" is ignored: /"+c.Name+" is a built-in command. Rename the file.")
			continue
		}
		u.commands = append(u.commands, c)
	}
	return u, notices
}

// all returns the commands from files.
func (u *custom) all() []Command {
	var out []Command
	for _, c := range u.commands {
		what := ink.SanitizeLine(c.What)
		if what == "" {
			what = "send the prompt in " + ink.SanitizeLine(c.Source)
		}
		from := "yours"
		if c.FromRepository {
			from = "from this repository"
		}
		if c.Skill {
			from = "skill, " + from
		}
		what += " (" + from + ")"
		out = append(out, Command{Name: c.Name, Args: ink.SanitizeLine(c.Args), What: what, Run: func(_ *Session, arg string) (tea.Cmd, error) {
			u.run(c, arg)
			return nil, nil
		}})
	}
	return out
}

// run sends the prompt of a custom command. On the first use of a command of
// the repository it shows where the prompt comes from.
func (u *custom) run(c screen.CustomCommand, arg string) {
	if c.FromRepository && !u.announced[c.Name] {
		u.announced[c.Name] = true
		u.Say("/" + c.Name + " comes from this repository (" + ink.SanitizeLine(c.Source) + "). Its text is sent as your prompt.")
	}
	text := CustomPrompt(c, arg)
	if text == "" {
		u.Say("Nothing sent: " + ink.SanitizeLine(c.Source) + " is empty.")
		return
	}
	if strings.HasPrefix(text, "!") { // not a shell command, also not from the prompt history
		text = "/" + c.Name + ":\n" + text
	}
	u.send(event.Prompt{Text: text, Mentions: event.Resources(arg)})
}

// CustomPrompt returns the prompt of a custom command with an argument; empty if its file
// is empty.
func CustomPrompt(c screen.CustomCommand, arg string) string {
	return strings.TrimSpace(expandArgs(c.Text, arg, !c.Skill))
}

// expandArgs replaces $ARGUMENTS in text with arg, and $1 to $9 with its words if
// numbered is set. If text has no placeholder, arg is appended. Placeholders in arg
// are not replaced.
func expandArgs(text, arg string, numbered bool) string {
	const all = "ARGUMENTS"
	words := ArgWords(arg)
	var b strings.Builder
	replaced := false
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			break
		}
		switch rest, isAll := strings.CutPrefix(after, all); {
		case isAll:
			b.WriteString(arg)
			text, replaced = rest, true
		case numbered && after != "" && '1' <= after[0] && after[0] <= '9':
			if n := int(after[0] - '1'); n < len(words) {
				b.WriteString(words[n])
			}
			text, replaced = after[1:], true
		default:
			b.WriteByte('$')
			text = after
		}
	}
	if !replaced && arg != "" {
		return strings.TrimRight(b.String(), "\n") + "\n\n" + arg
	}
	return b.String()
}

// ArgWords splits an argument at blanks outside quotes.
func ArgWords(arg string) (words []string) {
	var b strings.Builder
	quote, inWord := rune(0), false
	for _, r := range arg {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\'') && (b.Len() == 0 || strings.HasSuffix(b.String(), "=")):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if inWord {
				words = append(words, b.String())
			}
			b.Reset()
			inWord = false
		default:
			b.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, b.String())
	}
	return words
}
