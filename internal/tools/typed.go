package tools

import "context"

// Typed returns what prepares the commands that the person types: they run as
// the model's do, but a directory that one moves to is theirs alone. What the
// model is not told of cannot go on as a job, which it would get to know: it
// ends at the longest limit.
func Typed(w *Workspace, jobs *Jobs) func(line string, told bool) (Call, error) {
	s := &shellTool{w: w, jobs: jobs, at: "."}
	return func(line string, told bool) (Call, error) {
		a := shellArgs{Command: line}
		if !told {
			a.Timeout, a.AtLimit = maxTimeout, "end"
		}
		return s.prepare(context.Background(), a)
	}
}
