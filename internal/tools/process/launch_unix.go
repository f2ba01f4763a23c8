//go:build unix

package process

import "agent/internal/tools/shell/supervisor"

// running is the process of a program and its supervisor.
type running struct{ p *supervisor.Process }

// launch starts the program at path with the streams.
func launch(p Program, path string, s streams) (running, error) {
	o := supervisor.Order{Args: append([]string{path}, p.Args[1:]...), Env: p.Env, Processes: maxProcesses, Snapshot: p.Snapshot}
	started, err := supervisor.Start(o, p.Sandbox, p.Dir, supervisor.Streams{Input: s.input, Output: s.output, Errors: s.errors})
	return running{started}, err
}

func (r running) exited() <-chan struct{} { return r.p.Exited }

func (r running) done() <-chan struct{} { return r.p.Done }

func (r running) terminate() { r.p.Terminate() }

func (r running) kill() { r.p.Kill() }

func (r running) abandon() { r.p.Abandon() }

func (r running) status() (code int, words string) { return r.p.ExitStatus() }

func (r running) parent() int { return r.p.ID() }
