package list

import (
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// recentKept is how many options are remembered.
const recentKept = 8

// Recent are the IDs of the options that were used last. Commands of the screen
// save them, and Save the ones whose command did not run before the screen ended.
type Recent struct {
	ids  []string       // the latest first
	save func([]string) // may be nil

	mu      sync.Mutex // guards unsaved
	unsaved []string
	saving  sync.Mutex // one at a time: an older list never overwrites a newer one
}

// NewRecent returns the options with these IDs, the latest first. save keeps them
// for the next time and may be nil.
func NewRecent(ids []string, save func([]string)) *Recent { return &Recent{ids: ids, save: save} }

// Rank returns how many options were used since the one with that ID.
func (r *Recent) Rank(id string) int {
	if i := slices.Index(r.ids, id); i >= 0 {
		return i
	}
	return recentKept
}

// Use notes that an option is used. It returns the command that saves that.
func (r *Recent) Use(id string) tea.Cmd {
	if len(r.ids) > 0 && r.ids[0] == id {
		return nil
	}
	before := slices.DeleteFunc(slices.Clone(r.ids), func(other string) bool { return other == id })
	r.ids = append([]string{id}, before[:min(len(before), recentKept-1)]...)
	if r.save == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unsaved = r.ids
	return func() tea.Msg {
		r.Save()
		return nil
	}
}

// Save saves the options unless they are saved. It returns when they are.
func (r *Recent) Save() {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	ids := r.unsaved
	r.unsaved = nil
	r.mu.Unlock()
	if ids != nil {
		r.save(ids)
	}
}
