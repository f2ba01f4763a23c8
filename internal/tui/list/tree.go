package list

import "strings"

// tree orders sessions as a tree: each fork below its parent, or as a root if the
// parent is not listed. depths holds the depth of each session.
func tree(sessions []Session) (ordered []Session, depths []int) {
	listed, forks := map[string]bool{}, map[string][]Session{}
	for _, s := range sessions {
		listed[s.ID] = true
		forks[s.Parent] = append(forks[s.Parent], s)
	}
	placed := map[string]bool{}
	var place func(s Session, depth int)
	place = func(s Session, depth int) {
		if placed[s.ID] {
			return
		}
		placed[s.ID] = true
		ordered, depths = append(ordered, s), append(depths, depth)
		for _, fork := range forks[s.ID] {
			place(fork, depth+1)
		}
	}
	for _, s := range sessions {
		if s.Parent == "" || !listed[s.Parent] {
			place(s, 0)
		}
	}
	for _, s := range sessions { // sessions in a cycle of parents
		place(s, 0)
	}
	return ordered, depths
}

// branchOf returns the indentation of a session at that depth.
func branchOf(depth int) string {
	const deepest = 8
	if depth == 0 {
		return ""
	}
	return strings.Repeat("  ", min(depth, deepest)-1) + "└ "
}
