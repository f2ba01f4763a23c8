package list

import (
	"testing"
	"time"
)

func TestShortAge(t *testing.T) {
	noon := time.Date(2026, 3, 5, 13, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		time.Hour: "12:00", 25 * time.Hour: "Wed 12:00", -time.Minute: "13:01", 30 * 24 * time.Hour: "2026-02-03",
	} {
		if got := ShortAge(noon.Add(-ago), noon); got != want {
			t.Errorf("%s ago: got %q, want %q", ago, got, want)
		}
	}
	if got := ShortAge(time.Time{}, noon); got != "" {
		t.Errorf("got %q for the zero time", got)
	}
}
