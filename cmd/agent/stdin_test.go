package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/cmd/agent/permit"
)

// mainImpatient is `agent run --mode auto` with a wait for standard input that is over at
// once.
func mainImpatient() {
	end := exit.Watch()
	opts := &runOptions{
		IO: command.System(), flags: &flags{permit: permit.Flags{Mode: "auto"}}, end: end, Prompt: os.Args[1:], Input: "text", Output: "text",
		after: func(time.Duration) <-chan time.Time {
			elapsed := make(chan time.Time)
			close(elapsed)
			return elapsed
		},
	}
	opts.takeDash()
	code, message := exit.CodeOf(runRun(context.Background(), opts))
	if message != nil {
		fmt.Fprintln(os.Stderr, "agent:", message)
	}
	os.Exit(code)
}
