package exit

// catchFileLimit does nothing: Windows has no file size limit.
func catchFileLimit() {}
