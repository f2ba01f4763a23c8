package tools

import (
	"context"
	"fmt"
	"os"
	"time"
)

// hidden returns how to give a job the network of the computer, once it listens on a port
// that only commands of the session reach. It returns nil otherwise, and once it has
// returned something else for the job. Wait is how long a restart waits for the end of
// the job, in seconds.
func (s *shellTool) hidden(b *job, wait int) *Blocked {
	ports := b.servers()
	if len(ports) == 0 || !s.jobs.offer(b) {
		return nil
	}
	at := location{dir: b.dir}
	at.info, _ = os.Stat(b.dir)
	return &Blocked{Network: true, Port: int(ports[0]), Restart: &Call{
		Title: fmt.Sprintf("restart job %d: %s", b.id, b.title), Effect: Execute,
		Targets: []Target{{Kind: Command, Value: b.line, Dir: b.dir}},
		Run: func(ctx context.Context, ok Approved) (Result, error) {
			if _, err := s.jobs.stop(ctx, b, ok.Force); ctx.Err() != nil {
				return Result{}, err
			}
			return s.start(ctx, jobsArgs{Command: b.line, Wait: wait}, at, ok)
		},
	}}
}

// offer reports whether the job runs and was not offered the network yet. It is now.
func (j *Jobs) offer(b *job) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := b.state == "" && !b.offered
	b.offered = b.offered || first
	return first
}

// readJob returns the new output of a job, after it has ended or wait seconds.
func (s *shellTool) readJob(ctx context.Context, b *job, wait int) (Result, error) {
	r, err := s.jobs.read(ctx, b, time.Duration(wait)*time.Second)
	r.Blocked = s.hidden(b, wait) // to run this call again would not run a job that failed again
	return r, err
}
