package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/history"
)

// CarryOverApprovals moves the approvals of repository agents that earlier versions stored
// in agents.json, below the state directory, to the files of the projects. Then it deletes
// agents.json. Approvals for workspaces that no longer exist are dropped.
func CarryOverApprovals(state string) error {
	path := filepath.Join(state, "agents.json")
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	err := history.Exclusive(path, func() error {
		b, err := readOwned(path, os.Geteuid(), path)
		if errors.Is(err, fs.ErrNotExist) { // another process was faster
			return nil
		}
		if err != nil {
			return err
		}
		var old struct {
			Approved map[string]map[string]string `json:"approved"` // hashes by workspace and name
		}
		if json.Unmarshal(b, &old) != nil { // a damaged file never approved anything
			return os.Remove(path)
		}
		for dir, sums := range old.Approved {
			f, err := ProjectOf(state, dir)
			if err != nil {
				continue
			}
			if err := f.addApproved(sums); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
		}
		return os.Remove(path)
	})
	if err != nil {
		return fmt.Errorf("carry over the agents that you approved in an earlier version: %w. To confirm them again instead, delete %s", err, path)
	}
	return nil
}

// addApproved adds confirmations of agents, whose hashes are by name. It replaces none.
func (f ProjectFile) addApproved(sums map[string]string) error {
	return f.change(func(p *Project) {
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			c := Confirmed{Kind: "agent", Name: name, Sum: strings.TrimPrefix(sums[name], "sha256:")}
			if len(withoutConfirmed(slices.Clone(p.Confirmed), c)) == len(p.Confirmed) {
				p.Confirmed = append(p.Confirmed, c)
			}
		}
	})
}
