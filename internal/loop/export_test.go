package loop

// DecodeToFold decodes records as the agent does that goes on with a session.
func DecodeToFold() func(record []byte) (Durable, error) { return new(swift).decode }

// DecodeWhole decodes records as Ending does.
func DecodeWhole() func(record []byte) (Durable, error) { return (&swift{whole: true}).decode }
