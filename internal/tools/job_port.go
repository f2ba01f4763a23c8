package tools

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

// listening matches what servers print when they begin to listen.
var listening = regexp.MustCompile(`(?i)(?:\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)|\[::1?\]):([1-9]\d{1,4})\b|` +
	`\b(?:listening|serving|running|started)\b[^\n]{0,60}?(?:\bport[ :=]+|[ *]:)([1-9]\d{1,4})\b`)

// portIn returns the port on which a server listens according to its output; 0 if the
// output names none.
func portIn(output string) int {
	m := listening.FindStringSubmatch(output)
	if m == nil {
		return 0
	}
	port, _ := strconv.Atoi(m[1] + m[2])
	if port > 1<<16-1 {
		return 0
	}
	return port
}

// hidden returns how to give a job the network of the computer, once its output names a
// port that only commands of the session reach. It returns nil for all other output, and
// once it has returned something else for the job.
func (s *shellTool) hidden(b *job, output string, wait int) *Blocked {
	p, port := b.guard.Profile(), portIn(output)
	if p == nil || p.Network || port == 0 || !s.jobs.offer(b) {
		return nil
	}
	at := location{dir: b.dir}
	at.info, _ = os.Stat(b.dir)
	return &Blocked{Network: true, Port: port, Restart: &Call{
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
	r.Blocked = s.hidden(b, r.Text, wait) // to run this call again would not run a job that failed again
	return r, err
}
