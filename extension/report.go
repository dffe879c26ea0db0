package extension

// Report tells of a failure that no call returns, such as that of a timer. A host reports
// with it; an empty path is that of this extension.
func (api *API) Report(err *Error) {
	if err.Path == "" {
		err.Path = api.in.source.Path
	}
	api.in.runner.Report(err)
}
