package slash

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// Connect leads the user through the steps of /connect: a provider, its key, a test, a place
// for the key, a model. Each step is a list or a field; esc goes back to the step before.
type Connect struct {
	*screen.Window
	output
	front  *Front
	models *Models
	send   func(event.Command)

	all      []screen.Provider // those that can be connected, as last read
	provider screen.Provider   // the chosen one
	entered  screen.Attempt    // what the user has entered for it
	given    screen.Secret     // a key that the user entered before the provider was chosen
	tested   screen.Tested     // the result of the last test
	run      *connectRun       // the work that the current step waits for; nil for none
}

// connectRun is work in the background for a step.
type connectRun struct{ stop context.CancelFunc }

// connectDone is the end of a connectRun.
type connectDone struct {
	run  *connectRun
	next func() tea.Cmd // shows the next step
}

// connectCommand opens the list of providers, or connects the one called name.
func connectCommand(s *Session, name string) (tea.Cmd, error) {
	if owner, ok := llm.APIKeyProvider(name); ok {
		return s.Connect.ShowKey(name, owner), nil
	}
	if strings.ContainsAny(name, " \t") {
		return nil, errors.New("usage: /connect [PROVIDER]. The key is typed in a field that does not show it")
	}
	return s.Connect.Show(name), nil
}

// providerNames returns the completions of /connect.
func providerNames(s *Session) []string {
	names := []string{}
	for _, p := range s.Connect.all {
		names = append(names, p.Name)
	}
	return names
}

// Show opens the list of providers. If name is not empty, that provider is chosen.
func (c *Connect) Show(name string) tea.Cmd { return c.show(name, "") }

// ShowKey is like Show with an API key that the user entered as a prompt.
func (c *Connect) ShowKey(key, provider string) tea.Cmd {
	return c.show(provider, screen.Secret(strings.TrimSpace(key)))
}

func (c *Connect) show(name string, key screen.Secret) tea.Cmd {
	c.given = key
	read := c.Options.Connect.Providers
	if read == nil {
		text := "This session cannot connect another model."
		if key != "" {
			text = "That looks like an API key, so it was not sent. To store it: agent login PROVIDER"
		}
		c.Say(text)
		return nil
	}
	u := c.menu("", "")
	u.Head, u.None, u.Right, u.Back = "Connect a model provider", "Searching for servers on this machine …", "searching …", nil
	u.Hint = "type to search · enter select · esc close"
	return tea.Batch(c.front.Lists.Show(u), c.work(func(ctx context.Context) func() tea.Cmd {
		all := read(ctx)
		return func() tea.Cmd {
			c.all = all
			i := slices.IndexFunc(all, func(p screen.Provider) bool { return p.Name == strings.ToLower(name) })
			if name == "" || i < 0 && key != "" {
				c.fillProviders(u)
				return nil
			}
			if i < 0 { // perhaps a model or a company
				u.Filter = name
				c.fillProviders(u)
				if _, found := u.Marked(); found {
					return nil
				}
				c.front.Lists.Close()
				c.Say("There is no provider " + ink.Quoted(name) + ". " + c.nearest(name))
				return nil
			}
			return c.choose(all[i])
		}
	}))
}

// nearest tells the user of an unknown provider what to type instead.
func (c *Connect) nearest(name string) string {
	var names []string
	for _, p := range c.all {
		names = append(names, p.Name)
	}
	if near := similarName(strings.ToLower(name), names); near != "" {
		return "Did you mean /connect " + near + "?"
	}
	return "/connect lists the providers."
}

// work runs f in the background, and then shows the step that f returns, unless the user has
// left the current step.
func (c *Connect) work(f func(context.Context) (next func() tea.Cmd)) tea.Cmd {
	c.stop()
	ctx, stop := context.WithCancel(context.Background())
	r := &connectRun{stop}
	c.run = r
	return func() tea.Msg { return connectDone{r, f(ctx)} }
}

// stop ends the work in the background.
func (c *Connect) stop() {
	if c.run != nil {
		c.run.stop()
		c.run = nil
	}
}

// take shows the next step after work in the background.
func (c *Connect) take(d connectDone) tea.Cmd {
	if d.run != c.run {
		return nil
	}
	c.stop()
	return d.next()
}

// menu returns a list for a step. esc goes back to the list of keys or of providers.
func (c *Connect) menu(step, intro string) *list.Menu {
	head := "Connect " + ink.SanitizeLine(c.provider.Name)
	if step != "" {
		head += ": " + step
	}
	return &list.Menu{Chooser: list.Chooser{Keys: c.Keys, St: c.Styles, Under: -1, Intro: ink.Sanitize(intro)}, Head: head, None: "No match.",
		Hint: "enter select · esc back · ctrl+c close", Back: c.back, Cancel: c.stop}
}

// open shows a list of options, of which each has a function that shows the next step.
func (c *Connect) open(u *list.Menu, rows []connectRow) tea.Cmd {
	c.stop()
	u.Chose = func(o list.Option) tea.Cmd {
		for _, r := range rows {
			if r.ID == o.ID {
				return r.next()
			}
		}
		return nil
	}
	var all []list.Option
	for _, r := range rows {
		all = append(all, r.Option)
	}
	u.Fill(all)
	return c.front.Lists.Show(u)
}

// connectRow is an option of a step.
type connectRow struct {
	list.Option
	next func() tea.Cmd
}

// row returns an option with a name that is also its ID.
func row(name, what string, next func() tea.Cmd) connectRow {
	return connectRow{list.Option{ID: name, Name: ink.SanitizeLine(name), What: ink.SanitizeLine(what)}, next}
}

// fillProviders fills the list of providers.
func (c *Connect) fillProviders(u *list.Menu) {
	var all []list.Option
	for _, p := range c.all {
		o := list.Option{ID: p.Name, Name: ink.SanitizeLine(p.Name), What: ink.SanitizeLine(p.What)}
		switch {
		case p.Other:
			o.Name = "another server"
		case p.Runs:
			o.Right = "running"
		case p.Local:
			o.Last, o.Dim = true, true
		case p.Connected != "":
			o.Right = "connected"
		}
		all = append(all, o)
	}
	if c.given != "" {
		u.Intro = notSent + " Select its provider."
	}
	u.Pasted, u.Narrowed = c.pasted, c.narrowed
	u.Right, u.None = "", "No matching provider. “another server” connects any OpenAI-compatible server."
	u.Chose = func(o list.Option) tea.Cmd {
		i := slices.IndexFunc(c.all, func(p screen.Provider) bool { return p.Name == o.ID })
		return c.choose(c.all[i])
	}
	u.Fill(all)
}

// providers shows the list of providers again.
func (c *Connect) providers() tea.Cmd {
	c.stop()
	u := c.providerMenu()
	c.fillProviders(u)
	return c.front.Lists.Show(u)
}

func (c *Connect) providerMenu() *list.Menu {
	u := c.menu("", "")
	u.Head, u.Hint, u.Back, u.First = "Connect a model provider", "type to search · enter select · esc close", nil, c.provider.Name
	return u
}

// back goes back to where the key comes from or, for a server without a key, to the providers.
func (c *Connect) back() tea.Cmd {
	if c.provider.Local {
		return c.providers()
	}
	return c.chooseKey()
}

// choose begins with a provider.
func (c *Connect) choose(p screen.Provider) tea.Cmd {
	c.provider, c.entered, c.tested = p, screen.Attempt{Provider: p.Name}, screen.Tested{}
	switch {
	case p.NeedsURL:
		return c.askURL()
	case p.Local:
		return c.test()
	}
	return c.chooseKey()
}

// field shows a field for a step.
func (c *Connect) field(f *list.Field, step string) tea.Cmd {
	c.stop()
	f.Keys, f.St = c.Keys, c.Styles
	if f.Back == nil {
		f.Back = c.back
	}
	f.Head, f.Intro = "Connect "+ink.SanitizeLine(c.provider.Name)+": "+step, ink.Sanitize(f.Intro)
	return c.front.Lists.Show(f)
}

// askURL asks for the base URL.
func (c *Connect) askURL() tea.Cmd {
	form := cmp.Or(c.provider.URLForm, "http://127.0.0.1:8080/v1 or https://llm.example.com/v1")
	f := &list.Field{Enter: "continue", Back: c.providers, Missing: "Type the base URL.",
		Intro: "Type the base URL of the server, such as " + form + ". It is stored in your configuration.",
		Gave: func(text string) tea.Cmd {
			c.entered.URL = text
			return c.testURL()
		}}
	f.Set(c.entered.URL)
	c.entered = screen.Attempt{Provider: c.provider.Name}
	return c.field(f, "base URL")
}

// testURL tests the base URL before the user enters a key.
func (c *Connect) testURL() tea.Cmd {
	c.entered.OnlyURL = true
	return c.testing("Looking for a server at "+ink.SanitizeLine(c.entered.URL)+" …", func() tea.Cmd {
		c.entered.OnlyURL = false
		if t := c.tested; t.Problem == "" || t.Key {
			return c.chooseKey()
		}
		rows := []connectRow{row("Change the base URL", c.entered.URL, c.askURL), row("Try again", "", c.testURL)}
		if !c.tested.Broken {
			rows = append(rows, row("Continue anyway", "with the key", c.chooseKey))
		}
		u := c.menu("the base URL", strings.TrimSpace(c.tested.Problem+"\n"+c.tested.Hint))
		u.Back = c.askURL
		return c.open(u, rows)
	})
}

// at returns where the requests go.
func (c *Connect) at() string { return cmp.Or(c.entered.URL, c.provider.URL, c.provider.Name) }

// test tests what the user has entered.
func (c *Connect) test() tea.Cmd {
	return c.testing("Asking "+ink.SanitizeLine(c.at())+" for its models …", func() tea.Cmd {
		if c.tested.Problem != "" {
			return c.failed()
		}
		return c.choosePlace()
	})
}

// testing tests what the user has entered, and then shows the step that next returns.
func (c *Connect) testing(text string, next func() tea.Cmd) tea.Cmd {
	u := c.menu("test", "")
	u.None, u.Right, u.Hint = text, "testing …", "esc back · ctrl+c close"
	if c.front.Screen == nil { // plain mode shows no empty list
		c.Say(u.None)
	}
	entered, test := c.entered, c.Options.Connect.Test
	return tea.Batch(c.front.Lists.Show(u), c.work(func(ctx context.Context) func() tea.Cmd {
		tested := test(ctx, &entered)
		return func() tea.Cmd {
			c.entered, c.tested = entered, tested
			return next()
		}
	}))
}

// failed shows why the test failed, and what the user can do.
func (c *Connect) failed() tea.Cmd {
	t, e := c.tested, c.entered
	var rows []connectRow
	if e.Command != "" {
		rows = append(rows, row("Change the command", e.Command, c.askCommand))
	} else if e.Key != "" {
		rows = append(rows, row("Paste another key", "", c.askKey))
	} else if t.Key {
		rows = append(rows, row("Paste a key", "", c.askKey))
	}
	if e.URL != "" {
		rows = append(rows, row("Change the base URL", e.URL, c.askURL))
	}
	again := row("Try again", "", c.test)
	if t.Key {
		rows = append(rows, again)
	} else {
		rows = append([]connectRow{again}, rows...)
	}
	if !t.Broken && !c.provider.Local {
		rows = append(rows, row("Keep it anyway", "connect with what you entered", c.choosePlace))
	}
	return c.open(c.menu("the test failed", strings.TrimSpace(t.Problem+"\n"+t.Hint)), rows)
}

// choosePlace asks where to keep a pasted key, unless there is a system keyring.
func (c *Connect) choosePlace() tea.Cmd {
	if c.entered.Key == "" || c.entered.Command != "" {
		return c.keep("")
	}
	u := c.menu("store the key", "")
	u.None, u.Right = "Looking for a system keyring …", "searching …"
	entered, places := c.entered, c.Options.Connect.Places
	return tea.Batch(c.front.Lists.Show(u), c.work(func(context.Context) func() tea.Cmd {
		all, why := places(entered)
		return func() tea.Cmd {
			if why == "" && len(all) > 0 {
				return c.keep(all[0].ID)
			}
			return c.showPlaces(all, why)
		}
	}))
}

// showPlaces asks where to keep the key.
func (c *Connect) showPlaces(all []screen.Place, why string) tea.Cmd {
	var rows []connectRow
	for _, p := range all {
		rows = append(rows, connectRow{list.Option{ID: p.ID, Name: ink.SanitizeLine(p.Name), What: ink.SanitizeLine(p.What)}, func() tea.Cmd { return c.keep(p.ID) }})
	}
	rows = append(rows, row("From a command", "no key is stored", c.askCommand))
	return c.open(c.menu("where to keep the key", why), rows)
}

// keep keeps the key in a place and connects the provider.
func (c *Connect) keep(place string) tea.Cmd {
	u := c.menu("store the key", "")
	u.None, u.Right = "Connecting …", ""
	entered, keep := c.entered, c.Options.Connect.Keep
	return tea.Batch(c.front.Lists.Show(u), c.work(func(context.Context) func() tea.Cmd {
		said, err := keep(entered, place)
		return func() tea.Cmd {
			if err != nil {
				c.tested.Problem, c.tested.Hint = err.Error(), ""
				rows := []connectRow{row("Choose another place", "", c.choosePlaceAgain), row("Try again", "", func() tea.Cmd { return c.keep(place) })}
				return c.open(c.menu("not stored", err.Error()), rows)
			}
			if entered.Key != "" {
				c.provider.Keyed, c.provider.Connected = true, "the key that you just entered"
			}
			c.entered.Key = ""
			c.models.known = nil // it is read again
			c.Say(ink.Sanitize(said))
			return c.chooseModel()
		}
	}))
}

// choosePlaceAgain asks where to keep the key after a place did not work.
func (c *Connect) choosePlaceAgain() tea.Cmd {
	entered, places := c.entered, c.Options.Connect.Places
	return c.work(func(context.Context) func() tea.Cmd {
		all, why := places(entered)
		return func() tea.Cmd { return c.showPlaces(all, why) }
	})
}

// chooseModel asks for a model of the provider that was connected.
func (c *Connect) chooseModel() tea.Cmd {
	intro := c.tested.Note
	if c.tested.Problem != "" {
		intro = "The test failed: " + c.tested.Problem
	}
	u := c.menu("select a model", intro)
	u.None, u.Hint, u.Back = "No matching model. Type the name of any model.", "type to search · enter select · esc back · ctrl+c close", c.back
	u.Cancel = func() { c.Say("No model was selected. To select one: /model") }
	u.Free = func(typed string) (list.Option, bool) {
		name := strings.TrimPrefix(typed, c.provider.Name+"/")
		return list.Option{ID: c.provider.Name + "/" + name, Name: ink.SanitizeLine(name), What: "as typed"}, !strings.ContainsAny(typed, " \t")
	}
	u.Chose = func(o list.Option) tea.Cmd {
		return c.models.set(o.ID)
	}
	var all []list.Option
	for _, m := range c.tested.Models {
		o := list.Option{ID: m.Name, Name: ink.SanitizeLine(strings.TrimPrefix(m.Name, c.provider.Name+"/")), What: m.Summary()}
		if m.Default {
			o.Right = "default"
		}
		all = append(all, o)
	}
	u.Fill(all)
	if len(all) == 0 && c.front.Screen == nil {
		c.front.Lists.Close()
		c.Say("Its models are not known. Select one with: /model " + c.provider.Name + "/NAME")
		return nil
	}
	if c.front.Screen == nil && intro == "" {
		u.Intro = "These are its models."
	}
	return c.front.Lists.Show(u)
}
