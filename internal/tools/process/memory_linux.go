package process

import (
	"bytes"
	"os"
	"strconv"
)

// memory returns the bytes of anonymous memory that the descendants of a process use: the
// resident pages less the shared ones, from /proc/PID/statm (proc(5)).
func memory(parent int) (total int64) {
	for _, pid := range children(parent) {
		statm, _ := os.ReadFile("/proc/" + pid + "/statm")
		if f := bytes.Fields(statm); len(f) > 2 {
			resident, _ := strconv.ParseInt(string(f[1]), 10, 64)
			shared, _ := strconv.ParseInt(string(f[2]), 10, 64)
			total += (resident - shared) * int64(os.Getpagesize())
		}
		if id, err := strconv.Atoi(pid); err == nil {
			total += memory(id)
		}
	}
	return total
}

// children returns the process IDs of the children of all threads of a process. It returns
// none on kernels without these lists.
func children(parent int) (found []string) {
	dir := "/proc/" + strconv.Itoa(parent) + "/task/"
	threads, _ := os.ReadDir(dir)
	for _, t := range threads {
		text, _ := os.ReadFile(dir + t.Name() + "/children")
		for pid := range bytes.FieldsSeq(text) {
			found = append(found, string(pid))
		}
	}
	return found
}
