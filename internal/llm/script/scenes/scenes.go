// Package scenes holds the demo: four scripted turns on a small sample project.
// Each shows one feature of the loop. Their prompts also work with a
// real model. Start reading at Scenes.
package scenes

import (
	"fmt"

	"agent/internal/llm/script"
)

// Scene is one turn of the demo. It runs on the project as the previous scenes
// left it.
type Scene struct {
	Title   string
	Explain string // what to watch for, in one or two sentences for the user
	Prompt  string // prompt of the user
	Replies []script.Reply
	// MaxSteps is the step limit of the turn; 0 for the default.
	MaxSteps int
}

// Scenes returns the four scenes in order. The caller owns the replies.
func Scenes() []Scene {
	return []Scene{oneCall(), sideBySide(), recovery(), runaway()}
}

func oneCall() Scene {
	return Scene{
		Title:   "One tool call",
		Explain: "The model needs a file to answer. It reads the file and answers from its content.",
		Prompt:  "Which command line flags does this program take? They are in main.go.",
		Replies: []script.Reply{
			reply("The flags are declared where the program starts, so I read that.").
				Call("one_1", "read", `{"path":"main.go"}`).Calls(),
			script.Say("`steep` takes three flags and the name of a tea:\n\n" +
				"| flag | default | meaning |\n" +
				"|---|---|---|\n" +
				"| `-list` | off | show all teas and exit |\n" +
				"| `-scale` | `1` | make the time longer (`2`) or shorter (`0.5`) |\n" +
				"| `-quiet` | off | do not count down |\n\n" +
				"The README does not mention `-quiet`."),
		},
	}
}

func sideBySide() Scene {
	return Scene{
		Title:   "Three parallel calls",
		Explain: "One reply makes three read-only calls. They run at the same time, and each result goes back to its call.",
		Prompt:  "What is this project, how is it organized, and what is left to do? Look at README.md, the TODOs and the list of files.",
		Replies: []script.Reply{
			reply("These three calls do not depend on each other, so I make them together.").
				Call("three_1", "read", `{"path":"README.md"}`).
				Call("three_2", "search", `{"pattern":"TODO","glob":"*.go"}`).
				Call("three_3", "list", `{"path":"."}`).Calls(),
			script.Say("**steep** is a timer for tea on the command line.\n\n" +
				"- `main.go` reads the flags and counts down\n" +
				"- `teas.go` holds the table of teas, `teas_test.go` tests finding one\n" +
				"- `kettle.log` is the latest log of the kettle\n\n" +
				"Three tasks are left:\n\n" +
				"1. ring a bell at the end (`main.go`)\n" +
				"2. accept the beginning of a name (`teas.go`)\n" +
				"3. test `Table` (`teas_test.go`)"),
		},
	}
}

func recovery() Scene {
	return Scene{
		Title: "Two mistakes and an edit",
		Explain: "The model calls a tool that does not exist, then reads a file that does not exist. Both errors are ordinary results: " +
			"it reads them, recovers, and changes one line.",
		Prompt: "Green tea comes out bitter: the table in the code says five minutes. Make it two.",
		Replies: []script.Reply{
			reply("I'll find the table of teas.").
				Call("mend_1", "inspect_file", `{"path":"tea/table.go"}`).Calls(),
			reply("That tool does not exist. The tool that reads files is `read`.").
				Call("mend_2", "read", `{"path":"tea/table.go"}`).Calls(),
			reply("That file does not exist: I guessed its name. I'll search for the right one.").
				Call("mend_3", "search", `{"pattern":"green","glob":"*.go"}`).Calls(),
			reply("It is in `teas.go`.").
				Call("mend_4", "read", `{"path":"teas.go"}`).Calls(),
			reply("One line has to change.").
				Call("mend_5", "edit", `{"path":"teas.go","old":"{\"green\", 75, 5 * time.Minute}","new":"{\"green\", 75, 2 * time.Minute}"}`).Calls(),
			script.Say("That edit makes it **two minutes** instead of five, in one line of `teas.go`.\n\n" +
				"I did not run the tests because none of them checks the times."),
		},
	}
}

func runaway() Scene {
	const guard = 6
	s := Scene{
		Title:    "A runaway loop",
		Explain:  fmt.Sprintf("The log never contains what the model waits for, so the model would read it forever. After %d steps the model must answer without tools, and the turn ends.", guard),
		Prompt:   "Read kettle.log again and again until it says that the water is ready, and then tell me.",
		MaxSteps: guard,
	}
	// The loop would stop the same call, or a cycle of up to three.
	looks := [][2]string{
		{"read", `{"path":"kettle.log"}`}, {"search", `{"pattern":"ready","path":"kettle.log"}`},
		{"read", `{"path":"kettle.log","offset":2}`}, {"search", `{"pattern":"water","path":"kettle.log"}`},
	}
	for i := range guard {
		look := looks[i%len(looks)]
		s.Replies = append(s.Replies, reply("Not ready yet. I'll check again.").
			Call(fmt.Sprintf("again_%d", i+1), look[0], look[1]).Calls())
	}
	s.Replies = append(s.Replies, script.Say("The log does not say that the water is ready. I stopped at the step limit."))
	return s
}

// reply returns a reply that begins with text.
func reply(text string) script.Reply { return script.Reply{}.Text(text) }
