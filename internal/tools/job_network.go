package tools

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// offerNetwork returns a Blocked that restarts a job with the network, if the job listens
// on a port that only commands of the session can reach. It returns nil if the job does
// not, and if the network was offered for it before. A restart waits for the end of the
// new job, at most wait seconds.
func (s *shellTool) offerNetwork(b *job, wait int) *Blocked {
	ports := b.servers()
	if len(ports) == 0 || !s.jobs.markOffered(b) {
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
			r, err := s.start(ctx, jobsArgs{Command: b.line, Wait: wait}, at, ok)
			if err == nil && s.jobs.runs(r.Job) {
				r.Text += "[this job now has the network of the computer: a command can reach its server only if the user approves the network for that command]\n"
				r.Summary += " · commands in the sandbox no longer reach it"
			}
			return r, err
		},
	}}
}

// markOffered records that the network was offered for a job. It reports false if that
// was recorded before, or if the job has ended.
func (j *Jobs) markOffered(b *job) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := b.state == "" && !b.offered
	b.offered = b.offered || first
	return first
}

// runs reports whether the job with a number runs.
func (j *Jobs) runs(id int) bool {
	b, err := j.find(id)
	if err != nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return b.state == ""
}

// readJob returns the new output of a job once it has ended, or after wait seconds.
func (s *shellTool) readJob(ctx context.Context, b *job, wait int) (Result, error) {
	r, err := s.jobs.read(ctx, b, time.Duration(wait)*time.Second)
	if rest, quiet := strings.CutPrefix(r.Text, noNewOutput); quiet && wait == 0 && strings.HasPrefix(r.Summary, runningJob) {
		r.Text = "[no new output; set wait_seconds to wait for more]\n" + rest
	}
	if wait > 0 { // while the job runs, each read has waited for something else
		r.References = nil
	}
	r.Blocked = s.offerNetwork(b, wait) // not that of a failed job: running this call again would only read it again
	return r, err
}
