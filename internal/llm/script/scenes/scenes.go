// Package scenes is the demo as data: four short plays of a scripted model on a
// small sample project, each to show one thing that the loop does. Their
// prompts make sense to a real model on that project too.
package scenes

import (
	"fmt"

	"agent/internal/llm/script"
)

// Scene is one turn of the demo, on a project that the scenes before it may
// have changed.
type Scene struct {
	Title   string
	Explain string // what is to be seen, a sentence or two for the person
	Prompt  string // what the person says
	Replies []script.Reply
	// MaxSteps is the step guard of the turn; 0 leaves it to the loop.
	MaxSteps int
}

// Scenes returns the four scenes in order. The replies are the caller's own.
func Scenes() []Scene {
	return []Scene{oneCall(), sideBySide(), recovery(), runaway()}
}

func oneCall() Scene {
	return Scene{
		Title:   "One tool call",
		Explain: "The model needs a file to answer, reads it, and answers from what it says.",
		Prompt:  "Which command line flags does this program take? They are in main.go.",
		Replies: []script.Reply{
			reply("The flags are declared where the program starts, so I read that.").
				Call("one_1", "read", `{"path":"main.go"}`).Calls(),
			script.Say("`steep` takes three flags and the name of a tea:\n\n" +
				"| flag | default | meaning |\n" +
				"|---|---|---|\n" +
				"| `-list` | off | show all teas and leave |\n" +
				"| `-scale` | `1` | make the time longer (`2`) or shorter (`0.5`) |\n" +
				"| `-quiet` | off | do not count down |\n\n" +
				"The README does not mention `-quiet`."),
		},
	}
}

func sideBySide() Scene {
	return Scene{
		Title:   "Three calls side by side",
		Explain: "One reply asks for three things that only read. They run at the same time, and each result goes back to its call.",
		Prompt:  "What is this project, how is it laid out, and what is still to do in it? Look at README.md, the TODOs and the list of files.",
		Replies: []script.Reply{
			reply("Three looks that do not depend on each other, so I take them together.").
				Call("three_1", "read", `{"path":"README.md"}`).
				Call("three_2", "search", `{"pattern":"TODO","glob":"*.go"}`).
				Call("three_3", "list", `{"path":"."}`).Calls(),
			script.Say("**steep** is a timer for tea on the command line.\n\n" +
				"- `main.go` reads the flags and counts down\n" +
				"- `teas.go` holds the table of teas, `teas_test.go` tests finding one\n" +
				"- `kettle.log` is what the kettle wrote last\n\n" +
				"Three things are marked as still to do:\n\n" +
				"1. ring a bell at the end (`main.go`)\n" +
				"2. accept the beginning of a name (`teas.go`)\n" +
				"3. test `Table` (`teas_test.go`)"),
		},
	}
}

func recovery() Scene {
	return Scene{
		Title: "Two mistakes, and a change",
		Explain: "The model calls a tool that does not exist, then a file that is not there. Both errors are results like any other: " +
			"it reads them, finds its way, and changes one line.",
		Prompt: "Green tea comes out bitter: the table in the code lets it steep for five minutes. Make it two.",
		Replies: []script.Reply{
			reply("I look for the table of teas.").
				Call("mend_1", "open_file", `{"path":"tea/table.go"}`).Calls(),
			reply("There is no such tool. The one that reads files is `read`.").
				Call("mend_2", "read", `{"path":"tea/table.go"}`).Calls(),
			reply("Nor is there such a file: I guessed its name. Searching finds the right one.").
				Call("mend_3", "search", `{"pattern":"green","glob":"*.go"}`).Calls(),
			reply("It is in `teas.go`.").
				Call("mend_4", "read", `{"path":"teas.go"}`).Calls(),
			reply("One line is to be changed.").
				Call("mend_5", "edit", `{"path":"teas.go","old":"{\"green\", 75, 5 * time.Minute}","new":"{\"green\", 75, 2 * time.Minute}"}`).Calls(),
			script.Say("That edit makes it **two minutes** instead of five, in one line of `teas.go`.\n\n" +
				"I did not run the tests: none of them looks at the times."),
		},
	}
}

func runaway() Scene {
	const guard = 6
	s := Scene{
		Title:    "A runaway",
		Explain:  fmt.Sprintf("The log never says what the model waits for, and it would read it for ever. After %d steps the guard ends the turn.", guard),
		Prompt:   "Read kettle.log again and again until it says that the water is ready, and tell me then.",
		MaxSteps: guard,
	}
	// Never the same call three times in a row, which another guard would end.
	looks := [][2]string{{"read", `{"path":"kettle.log"}`}, {"search", `{"pattern":"ready","path":"kettle.log"}`}}
	for i := range 2 * guard {
		look := looks[i%len(looks)]
		s.Replies = append(s.Replies, reply("Not ready yet. I look again.").
			Call(fmt.Sprintf("again_%d", i+1), look[0], look[1]).Calls())
	}
	return s
}

// reply begins a reply that says text and then goes on.
func reply(text string) script.Reply { return script.Reply{}.Text(text) }
