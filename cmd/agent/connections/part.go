package connections

import "agent/internal/loop/part"

// For passes the messages about servers to the user. It implements part.Part. The tools of
// servers are known only after a while: see Toolbox.
func (s *Session) For(a part.Agent) (part.Added, error) {
	if s == nil || a.Number > 0 {
		return part.Added{}, nil
	}
	return part.Added{Notices: s.toolbox.Problems()}, nil
}
