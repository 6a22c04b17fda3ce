package hypervisor

// Machine is one that runs. Volume is another for other data.
type Machine struct{ Name, ID, UserData, Volume string }

// Machines are those that run, or why that cannot be told while something changes.
func (w *Watch) Machines() ([]Machine, error) {
	objects, err := w.Objects()
	var all []Machine
	for _, domain := range objects {
		disks, _ := domain.Props["disks"].([]any)
		if domain.Type != "Domain" || len(disks) == 0 || domain.Props["running"] == false || w.world.Lost(domain.Host) {
			continue
		}
		m := Machine{Name: domain.Name, ID: domain.ID}
		for _, o := range objects {
			switch {
			case o.Type == "CloudInitDisk" && o.ID == domain.Props["cloudinit"]:
				m.UserData, _ = o.Props["userData"].(string)
			case o.Type == "Volume" && o.Host == domain.Host && o.ID == disks[len(disks)-1].(map[string]any)["volumeId"]:
				m.Volume = o.Born
			}
		}
		all = append(all, m)
	}
	return all, err
}
