package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/headless"
	"agent/cmd/agent/lines"
	"agent/cmd/agent/tool"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// stuckFile is the file that the tool creates when it starts.
const stuckFile = "stuck.txt"

// stuck returns a tool that never returns.
func stuck() tools.Tool {
	return tools.New("stuck", "never ends", func(context.Context, struct{}) (tools.Call, error) {
		return tools.Call{Title: "stuck", Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			if err := os.WriteFile(stuckFile, nil, 0o600); err != nil {
				return tools.Result{}, err
			}
			select {}
		}}, nil
	})
}

// mainStuck is the program with the stuck tool. Its argument selects the part that
// runs: run, tool, screen or plain.
func mainStuck() {
	credentials.ProtectMemory()
	end := exit.Watch()
	code, say := exit.CodeOf(runStuck(os.Args[1], end))
	if say != nil {
		fmt.Fprintln(os.Stderr, say)
	}
	os.Exit(code)
}

func runStuck(part string, end *exit.Signals) error {
	if part == "tool" {
		return (&tool.Call{IO: command.System(), Yes: true, End: end}).Run(context.Background(), stuck(), json.RawMessage(`{}`))
	}
	f := opening{flags: flags{plain: part == "plain"}, end: end}
	a, err := open(f, part != "run")
	if err != nil {
		return err
	}
	defer a.close()
	a.options.Tools = append(a.options.Tools, stuck())
	if part == "run" {
		out := headless.NewOutput(os.Stdout)
		p, err := headless.NewPrinter("text", command.System(), out, false, headless.Previews{})
		if err != nil {
			return err
		}
		return a.runTurn(event.Prompt{Text: "begin"}, p, out)
	}
	var in *lines.Input
	if f.plain {
		in = lines.Open()
	}
	_, err = show(context.Background(), a, in, nil)
	return err
}
