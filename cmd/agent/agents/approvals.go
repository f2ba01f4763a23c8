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
// an earlier version.
func Approve(dir, name, sum string) error {
	path, err := approvalFile(os.Getenv)
	if err != nil {
		return err
	}
	if err := history.Exclusive(path, func() error { return approve(path, dir, name, sum) }); err != nil {
		return fmt.Errorf("remember the approved agent: %w", err)
	}
	return nil
}

func approve(path, dir, name, sum string) error {
	all, err := readApprovals(path)
	if err != nil {
		return err
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
		return err
	}
	return history.Replace(path, b, true)
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
