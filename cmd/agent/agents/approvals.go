package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agent/internal/history"
)

// approvals holds the content hashes of the agents of repositories that the user
// approved, by workspace and name.
type approvals struct {
	Approved map[string]map[string]string `json:"approved"`
}

// maxApprovedIn is the number of workspaces whose approvals are remembered.
const maxApprovedIn = 200

// Approved reports whether the user approved the agent of a repository called
// name, with exactly that content hash, in the workspace dir.
func Approved(dir, name, sum string) bool {
	path, err := approvalFile(os.Getenv)
	if err != nil {
		return false
	}
	all, err := readApprovals(path)
	return err == nil && sum != "" && all.Approved[dir][name] == sum
}

// Approve remembers that the user approved the agent of a repository, in place of
// an earlier version. If two processes do so at the same time, one approval is lost:
// the user is asked again.
func Approve(dir, name, sum string) error {
	path, err := approvalFile(os.Getenv)
	if err != nil {
		return err
	}
	all, err := readApprovals(path)
	if err != nil {
		return fmt.Errorf("read the approved agents: %w", err)
	}
	if all.Approved == nil {
		all.Approved = map[string]map[string]string{}
	}
	if all.Approved[dir] == nil {
		for other := range all.Approved {
			if len(all.Approved) < maxApprovedIn {
				break
			}
			delete(all.Approved, other)
		}
		all.Approved[dir] = map[string]string{}
	}
	all.Approved[dir][name] = sum
	b, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("write the approved agents: %w", err)
	}
	if err := history.Replace(path, b, true); err != nil {
		return fmt.Errorf("write the approved agents: %w", err)
	}
	return nil
}

func approvalFile(getenv func(string) string) (string, error) {
	dir, err := history.Dir(getenv)
	return filepath.Join(dir, "agents.json"), err
}

// readApprovals reads the file at path. A missing or damaged file approves nothing.
func readApprovals(path string) (approvals, error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return approvals{}, err
	}
	var all approvals
	if json.Unmarshal(b, &all) != nil {
		return approvals{}, nil
	}
	return all, nil
}
