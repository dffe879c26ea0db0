package resource

// Parts that the tests look at by themselves.
var (
	SplitArguments = splitArguments
	Fill           = fill
)
