package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/screen"
)

// testManual is a manual with three topics.
func testManual() screen.Manual {
	texts := map[string]string{
		"keys": "# Keys\n\nPress `?` for help. To take a change back, see [undo](undo.md#git).\n\n| key | action |\n|---|---|\n| `esc` | see [undo](undo.md) |\n",
		"undo": "# Undo\n\nEvery change of a file can be undone, even `rm -rf`. See [`the\nkeys`](keys.md) and\n[README](../../README.md).\n\n" +
			"## Commands\n\n```\nagent undo     # the last turn\nagent diff\n```\n\n" + strings.Repeat("A paragraph about the store of old contents, which is long enough to be wrapped in a low window.\n\n", 8) +
			"## Git\n\nAn undo keeps the index and the branches of git. [Hooks](hooks.md) run again.\n",
		"hooks": "# Hooks\n\nTo add a hook, write a command into the configuration:\n\n```json\n{\"hooks\": {\"turn_end\": [{\"command\": \"make lint\"}]}}\n```\n\nA hook that removes files with rm can be undone like any command.\n",
	}
	return screen.Manual{
		Groups: []screen.TopicGroup{{Name: "Start", Topics: []string{"keys"}}, {Name: "Safety", Topics: []string{"undo", "permissions", "sandbox", "data", "configuration"}}, {Name: "Extend", Topics: []string{"hooks"}}},
		Text:   func(topic string) string { return texts[topic] },
	}
}

func manualDriver(t *testing.T, width, height int) *driver {
	return newDriver(t, width, height, screen.Options{Manual: testManual()})
}

func TestManualOnTheScreen(t *testing.T) {
	for name, keys := range map[string][]string{
		"topic":   nil,
		"link":    {"tab"},
		"follow":  {"tab", "enter", "G"},
		"section": {"tab", "enter", "esc", "tab", "enter"},
	} {
		for size, s := range map[string][2]int{"120x40": {120, 40}, "60x15": {60, 15}} {
			t.Run(name+" "+size, func(t *testing.T) {
				d := manualDriver(t, s[0], s[1])
				d.run("/help keys")
				d.press(keys...)
				d.golden("manual-" + name + "-" + size)
			})
		}
	}
}

func TestHelpNamesTheTopics(t *testing.T) {
	for size, s := range map[string][2]int{"120x40": {120, 40}, "60x15": {60, 15}} {
		t.Run(size, func(t *testing.T) {
			d := manualDriver(t, s[0], s[1])
			d.press("?")
			d.press("pgdown", "pgdown", "pgdown", "pgdown")
			d.golden("help-topics-" + size)
		})
	}
}

func TestManualReturnsFromLinks(t *testing.T) {
	d := manualDriver(t, 100, 30)
	d.run("/help undo")
	d.shows("agent undo     # the last turn", "esc close")
	d.press("tab", "enter")
	d.shows("Press ? for help.", "esc back to undo")
	d.press("tab", "enter")
	d.shows("keeps the index", "esc back to keys")
	d.press("esc")
	d.shows("Press ? for help.", "enter opens undo: Git")
	d.press("esc")
	d.shows("agent undo     # the last turn")
	d.press("esc")
	d.shows("? help")
	d.run("/help Undo")
	d.press("tab", "enter", "q")
	d.shows("? help")
}

func TestManualSearchInATopic(t *testing.T) {
	d := manualDriver(t, 60, 12)
	d.run("/help undo")
	d.press("/")
	d.typeText("index")
	d.shows("search  index")
	d.press("enter")
	d.shows("An undo keeps the index")
	d.press("n")
	d.shows("no more matches")
	d.press("N")
	d.shows("no more matches")
}

func TestHelpSearchesAllTopics(t *testing.T) {
	for size, s := range map[string][2]int{"120x40": {120, 40}, "60x15": {60, 15}} {
		t.Run(size, func(t *testing.T) {
			d := manualDriver(t, s[0], s[1])
			d.run("/help rm undone")
			d.golden("manual-search-" + size)
			d.press("down", "enter")
			d.shows("A hook that removes files with rm", "esc back to the list")
			d.press("esc")
			d.shows("2 lines about “rm undone”")
			d.press("esc")
			d.shows("? help")
		})
	}
	d := manualDriver(t, 100, 30)
	d.run("/help how do I add a hook?")
	d.shows("1 line about", "› hooks › Hooks  To add a hook")
	d.press("esc")
	d.run("/help undoo")
	d.shows("No help topic mentions “undoo”. Did you mean /help undo?")
}

func TestHelpCompletesTopics(t *testing.T) {
	d := manualDriver(t, 100, 30)
	d.typeText("/help ho")
	d.shows("hooks")
	d.press("tab", "enter")
	d.shows("To add a hook, write a command")
}

func TestManualAfterAResize(t *testing.T) {
	d := manualDriver(t, 100, 30)
	d.run("/help keys")
	d.press("tab")
	d.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	d.press("enter")
	d.shows("keeps the index")
}

func TestManualInPlainMode(t *testing.T) {
	o := screen.Options{Manual: testManual()}
	got := runPlain(t, o, "/help keys")
	for _, want := range []string{"# Keys\n", "see [undo](undo.md#git)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if got := runPlain(t, o, "/help"); !strings.Contains(got, "  topics, Safety: undo permissions sandbox data configuration\n") {
		t.Errorf("the topics are missing:\n%s", got)
	}
	got = runPlain(t, o, "/help index branches", "1")
	if !strings.Contains(got, "1 undo › Git") || !strings.Contains(got, "## Git\n\nAn undo keeps the index") || strings.Contains(got, "old contents") {
		t.Errorf("the search printed:\n%s", got)
	}
}

// A question that waits is named while the manual covers it.
func TestManualNamesAWaitingQuestion(t *testing.T) {
	d := manualDriver(t, 80, 24)
	d.events(userSaid("go"))
	d.run("/help undo")
	d.events(asked()...)
	d.shows("? a question waits · q to answer")
	d.press("q")
	d.hides("a question waits")
}
