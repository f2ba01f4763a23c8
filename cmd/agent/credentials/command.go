package credentials

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// commandLimit is the time limit of a command that prints a key.
const commandLimit = 10 * time.Second

// runCommand runs a command that prints a key, and returns the key. cleanup may
// be nil.
func runCommand(c settings.Command, limit time.Duration, cleanup func(func()) (forget func())) (catalog.Key, error) {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	words := c.Words
	if c.Line != "" {
		words = []string{"sh", "-c", c.Line}
		if runtime.GOOS == "windows" {
			words = []string{"cmd", "/c", c.Line}
		}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = Strip(os.Environ())
	cmd.Dir, _ = os.UserHomeDir() // no project decides what a relative name means
	cmd.WaitDelay = time.Second   // its children may keep the pipes
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	ended := make(chan struct{})
	if cleanup != nil {
		defer cleanup(func() { stop(); <-ended })()
	}
	err := cmd.Run()
	close(ended)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the command %s did not print it within %s%s", words[0], limit, outputSuffix(stderr))
	case err != nil:
		return "", fmt.Errorf("the command %s failed: %w%s", words[0], err, outputSuffix(stderr))
	}
	key, _, _ := strings.Cut(strings.TrimSpace(stdout.String()), "\n") // what some print below it is no key
	if key = strings.TrimSpace(key); key == "" {
		return "", fmt.Errorf("the command %s printed nothing%s", words[0], outputSuffix(stderr))
	}
	return catalog.Key(key), nil
}

// outputSuffix returns the error output of a command as one line.
func outputSuffix(b bytes.Buffer) string {
	s := strings.Join(strings.Fields(b.String()), " ")
	if s == "" {
		return ""
	}
	return ": " + s[:min(len(s), 300)]
}
