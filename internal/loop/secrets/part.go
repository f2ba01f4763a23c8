package secrets

import "agent/internal/loop/part"

// Part makes the calls of an agent use m; nil adds nothing. It is a part.Func.
func (m *Masker) Part(part.Agent) (part.Added, error) {
	if m == nil {
		return part.Added{}, nil
	}
	return part.Added{Arguments: m, Around: m}, nil
}
