package slash

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// chooseKey asks where the key comes from.
func (c *Connect) chooseKey() tea.Cmd {
	p := c.provider
	c.entered.Key, c.entered.Command = "", ""
	if key := c.given; key != "" {
		c.given = ""
		return c.giveKey(key)
	}
	var rows []connectRow
	if p.Keyed {
		rows = append(rows, row("Use the current key", p.Connected, c.test))
	}
	if p.Command != "" {
		rows = append(rows, row("Use the login of "+p.Program, "runs: "+p.Command, func() tea.Cmd {
			c.entered.Command = p.Command
			return c.test()
		}))
	}
	rows = append(rows, row("Paste a key", "it is not shown", c.askKey), row("Read it from a command", "such as: pass show "+p.Name, c.askCommand))
	if p.Variable != "" {
		rows = append(rows, row("Set "+p.Variable, "in the environment, before agent starts", c.explainVariable))
	}
	if p.Keyless {
		rows = append(rows, row("No key", "the server needs none", c.test))
	}
	intro := "The API key is sent only to " + c.at() + "."
	if p.KeysAt != "" {
		intro += "\nTo create one: " + p.KeysAt
	}
	u := c.menu("API key", intro)
	u.Back, u.Pasted = c.providers, c.keyField // a key must not appear in the filter
	u.Narrowed = func(filter string) (tea.Cmd, bool) {
		if _, found := u.Marked(); found {
			return nil, false
		}
		return c.keyField(filter), true
	}
	if p.NeedsURL {
		u.Back = c.askURL
	}
	return c.open(u, rows)
}

// explainVariable says how to set the key in the environment.
func (c *Connect) explainVariable() tea.Cmd {
	name := ink.SanitizeLine(c.provider.Variable)
	c.Say("To use a key in the environment, quit agent, run in your shell\n  export " + name + "=…\nand start agent again. For all new shells, add that line to the file that your shell reads at its start.")
	return nil
}

// askKey asks for the key.
func (c *Connect) askKey() tea.Cmd { return c.keyField("") }

// giveKey takes a key that was entered before the provider was chosen. On the screen the field
// shows it masked, and Enter tests it. Plain mode has no such field, and tests it at once.
func (c *Connect) giveKey(key screen.Secret) tea.Cmd {
	if c.front.Screen == nil {
		c.entered.Key = key
		return c.test()
	}
	return c.showKeyField(key.Reveal(), notSent+" Enter tests it.\n")
}

// notSent is said about a key that was entered as a prompt.
const notSent = "That looks like an API key, so it was not sent to a model."

// keyField shows the field for the key with a text.
func (c *Connect) keyField(key string) tea.Cmd { return c.showKeyField(key, "") }

// showKeyField is like keyField. It says note first.
func (c *Connect) showKeyField(key, note string) tea.Cmd {
	intro := note + "Paste the API key. It is sent only to " + c.at() + ", first to test it."
	if c.provider.KeysAt != "" {
		intro += "\nTo create one: " + c.provider.KeysAt
	}
	f := &list.Field{Masked: true, Enter: "test the key", Missing: "Paste the key.", Intro: intro, Gave: func(text string) tea.Cmd {
		c.entered.Key, c.entered.Command = screen.Secret(text), ""
		return c.test()
	}}
	f.Set(strings.TrimSpace(key))
	return c.field(f, "API key")
}

// askCommand asks for the command that prints the key.
func (c *Connect) askCommand() tea.Cmd {
	f := &list.Field{Enter: "run it and test the key", Missing: "Type a command.",
		Intro: "Type a command that prints the key, such as\n  pass show " + c.provider.Name + "\n  op read op://Private/" + c.provider.Name + "/key\nagent runs it now, and again when it starts. It is stored in your configuration; the key is not.",
		Gave: func(text string) tea.Cmd {
			c.entered.Command, c.entered.Key = text, ""
			return c.test()
		}}
	f.Set(c.entered.Command)
	return c.field(f, "command")
}

// pasted handles text that is pasted into the list of providers: a key, or a name to search.
func (c *Connect) pasted(text string) tea.Cmd {
	if owner, ok := llm.APIKeyProvider(text); ok {
		return c.ShowKey(text, owner)
	}
	u := c.providerMenu()
	u.Filter = strings.TrimSpace(text)
	c.fillProviders(u)
	return c.front.Lists.Show(u)
}

// narrowed opens a masked field if the user types a key into the list of providers.
func (c *Connect) narrowed(filter string) (cmd tea.Cmd, over bool) {
	const certain = 8 // characters
	if _, ok := llm.APIKeyBegins(filter); !ok || len(filter) < certain {
		return nil, false
	}
	f := &list.Field{Masked: true, Enter: "continue", Missing: "Paste the key.", Back: c.providers, Intro: "Paste the API key. It is not shown.",
		Gave: func(text string) tea.Cmd {
			owner, _ := llm.APIKeyProvider(text)
			return c.ShowKey(text, owner)
		}}
	f.Set(filter)
	c.provider = screen.Provider{Name: "a provider"}
	return c.field(f, "API key"), true
}
